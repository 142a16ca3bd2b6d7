package recipes_test

import (
	"cmp"
	"context"
	"net"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
)

// qdrantConfig is where the server is: the one that QDRANT_HOST names, else the stand-in below.
var qdrantConfig *qdrant.Config

func TestMain(m *testing.M) {
	if host := os.Getenv("QDRANT_HOST"); host != "" {
		qdrantConfig = &qdrant.Config{Host: host}
		os.Exit(m.Run())
	}
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	server, stand := grpc.NewServer(), &standIn{points: map[string][]*qdrant.PointStruct{}}
	qdrant.RegisterPointsServer(server, points{standIn: stand})
	qdrant.RegisterCollectionsServer(server, collections{standIn: stand})
	go func() { check(server.Serve(listener)) }()
	qdrantConfig = &qdrant.Config{
		Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, SkipCompatibilityCheck: true, PoolSize: 1,
	}
	status := m.Run()
	server.Stop()
	os.Exit(status)
}

// standIn answers the three calls of the recipe in the place of Qdrant, whose server is in no
// registry of packages: it shows that the client's requests arrive whole, and no more.
type standIn struct {
	mutex  sync.Mutex
	points map[string][]*qdrant.PointStruct
}

type collections struct {
	qdrant.UnimplementedCollectionsServer
	*standIn
}

func (c collections) Create(_ context.Context, in *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.points[in.CollectionName] = nil
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

type points struct {
	qdrant.UnimplementedPointsServer
	*standIn
}

func (p points) Upsert(_ context.Context, in *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.points[in.CollectionName] = append(p.points[in.CollectionName], in.Points...)
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{Status: qdrant.UpdateStatus_Completed}}, nil
}

func (p points) Query(_ context.Context, in *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	query, response := in.Query.GetNearest().GetDense().GetData(), new(qdrant.QueryResponse)
	for _, point := range p.points[in.CollectionName] {
		scored := &qdrant.ScoredPoint{Id: point.Id, Payload: point.Payload}
		for i, value := range point.Vectors.GetVector().GetDense().GetData() {
			scored.Score += value * query[i]
		}
		response.Result = append(response.Result, scored)
	}
	slices.SortFunc(response.Result, func(a, b *qdrant.ScoredPoint) int { return cmp.Compare(b.Score, a.Score) })
	response.Result = response.Result[:min(len(response.Result), int(in.GetLimit()))]
	return response, nil
}

//go:build linux

package main

import (
	"context"
	"os"
	"strconv"

	"github.com/coder/hnsw"
	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
	"github.com/philippgille/chromem-go"
	"github.com/qdrant/go-client/qdrant"
	"github.com/tmc/langchaingo/embeddings"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"google.golang.org/protobuf/proto"

	"github.com/unum-cloud/uform-go/examples/recipes/usearch"
	"github.com/unum-cloud/uform-go/uform"
)

func chromemKeeps(f *fixture) {
	ids := make([]string, len(f.texts))
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	collection := must(chromem.NewDB().CreateCollection("texts", nil, nil))
	check(collection.Add(ctx, ids, must(f.model.Embed(ctx, f.texts)), nil, f.texts))
}

func langchaingoEmbeds(f *fixture) {
	embedder := must(embeddings.NewEmbedder(embeddings.EmbedderClientFunc(f.model.Embed)))
	must(embedder.EmbedDocuments(ctx, f.texts))
}

func hnswAdds(f *fixture) {
	graph := hnsw.NewGraph[int]()
	for i, vector := range must(f.model.Embed(ctx, f.texts)) {
		graph.Add(hnsw.MakeNode(i, vector))
	}
}

func qdrantMarshals(f *fixture) {
	points := make([]*qdrant.PointStruct, len(f.texts))
	for i, vector := range must(f.model.Embed(ctx, f.texts)) {
		points[i] = &qdrant.PointStruct{Id: qdrant.NewIDNum(uint64(i)), Vectors: qdrant.NewVectorsDense(vector),
			Payload: qdrant.NewValueMap(map[string]any{"text": f.texts[i]})}
	}
	must(proto.Marshal(&qdrant.UpsertPoints{CollectionName: "texts", Points: points}))
}

func gonumMultiplies(f *fixture) {
	rows := f.encode()
	pin := must(rows.Pin())
	defer pin.Release()
	vectors := blas32.General{Rows: rows.Len(), Cols: rows.Columns(), Stride: rows.Columns(), Data: must(pin.Dense())}
	query := blas32.Vector{N: rows.Columns(), Inc: 1, Data: must(pin.Float32s(0))}
	similar := blas32.Vector{N: rows.Len(), Inc: 1, Data: make([]float32, rows.Len())}
	blas32.Gemv(blas.NoTrans, 1, vectors, query, 0, similar)
}

var (
	kit      *genkit.Genkit
	embedder ai.Embedder
)

func genkitEmbeds(f *fixture) {
	if kit == nil {
		kit = genkit.Init(ctx)
		embedder = genkit.DefineEmbedder(kit, "uform/words", nil, func(ctx context.Context, in *ai.EmbedRequest) (*ai.EmbedResponse, error) {
			out, texts := new(ai.EmbedResponse), make([]string, len(in.Input))
			for i, document := range in.Input {
				texts[i] = document.Content[0].Text
			}
			vectors, err := f.model.Embed(ctx, texts)
			for _, vector := range vectors {
				out.Embeddings = append(out.Embeddings, &ai.Embedding{Embedding: vector})
			}
			return out, err
		})
	}
	must(genkit.Embed(ctx, kit, ai.WithEmbedder(embedder), ai.WithTextDocs(f.texts...)))
}

// usearches are none without a library.
func usearches() []neighbour {
	path := os.Getenv("USEARCH_LIBRARY")
	if path == "" {
		return nil
	}
	library := must(usearch.Open(path))
	add := func(f *fixture) {
		rows := f.encode()
		index := must(library.NewIndex(usearch.Options{Metric: usearch.Cosine, Scalar: uform.F32, Columns: uintptr(rows.Columns())}, rows.Len()))
		defer index.Close()
		check(index.Add(0, rows))
	}
	exact := func(f *fixture) {
		must(library.Exact(f.encode(), f.asked, 10, &usearch.ExactOptions{Threads: 1}))
	}
	return []neighbour{{"USearch: an index", add}, {"USearch: one exact search", exact}}
}

// databases are none without a server.
func databases() []neighbour {
	if os.Getenv("PGHOST") == "" {
		return nil
	}
	database := must(pgx.Connect(ctx, ""))
	must(database.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector"))
	check(pgxvector.RegisterTypes(ctx, database))
	must(database.Exec(ctx, "CREATE TEMP TABLE texts (words text, embedding vector(384))"))
	copied := func(f *fixture) {
		vectors := must(f.model.Embed(ctx, f.texts))
		rows := pgx.CopyFromSlice(len(vectors), func(i int) ([]any, error) {
			return []any{f.texts[i], pgvector.NewVector(vectors[i])}, nil
		})
		must(database.CopyFrom(ctx, pgx.Identifier{"texts"}, []string{"words", "embedding"}, rows))
	}
	return []neighbour{{"pgvector: COPY", copied}}
}

package recipes_test

import (
	"fmt"

	"github.com/qdrant/go-client/qdrant"

	"github.com/unum-cloud/uform-go/uform/words"
)

// A point refers to its vector until the request is sent. qdrantConfig is where the server is.
func Example_qdrant() {
	client := must(qdrant.NewClient(qdrantConfig))
	defer client.Close()
	vectors := must(words.Embed(ctx, append(texts, question)))
	points := make([]*qdrant.PointStruct, len(texts))
	for i, text := range texts {
		points[i] = &qdrant.PointStruct{Id: qdrant.NewIDNum(uint64(i)), Vectors: qdrant.NewVectorsDense(vectors[i]),
			Payload: qdrant.NewValueMap(map[string]any{"text": text})}
	}
	config := qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: uint64(len(vectors[0])), Distance: qdrant.Distance_Cosine})
	check(client.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: "texts", VectorsConfig: config}))
	must(client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "texts", Points: points, Wait: qdrant.PtrOf(true)}))
	found := must(client.Query(ctx, &qdrant.QueryPoints{CollectionName: "texts", Query: qdrant.NewQueryDense(vectors[3]),
		Limit: qdrant.PtrOf(uint64(1)), WithPayload: qdrant.NewWithPayload(true)}))
	fmt.Println(found[0].Id.GetNum(), found[0].Payload["text"].GetStringValue())
	// Output: 1 share prices are falling
}

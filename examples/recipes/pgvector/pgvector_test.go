// Package pgvector_test has the recipe for PostgreSQL with the extension pgvector. The database is
// the one that PGHOST, PGUSER and PGPASSWORD name; without PGHOST the recipe is left out.
package pgvector_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"

	"github.com/unum-cloud/uform-go/uform/words"
)

func TestMain(m *testing.M) {
	if os.Getenv("PGHOST") == "" {
		fmt.Println("left out: PGHOST names no PostgreSQL; ci/recipes.sh starts one")
		return
	}
	os.Exit(m.Run())
}

// The vectors are sent in PostgreSQL's binary format, by its COPY.
func Example() {
	texts := []string{"a man is playing the guitar", "share prices are falling", "a cat sleeps in the sun"}
	vectors := must(words.Embed(ctx, append(texts, "stocks fell sharply")))
	database := must(pgx.Connect(ctx, ""))
	defer database.Close(ctx)
	must(database.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector"))
	must(0, pgxvector.RegisterTypes(ctx, database))
	must(database.Exec(ctx, "CREATE TEMP TABLE texts (words text, embedding vector(384))"))
	rows := pgx.CopyFromSlice(len(texts), func(i int) ([]any, error) {
		return []any{texts[i], pgvector.NewVector(vectors[i])}, nil
	})
	must(database.CopyFrom(ctx, pgx.Identifier{"texts"}, []string{"words", "embedding"}, rows))
	nearest := "SELECT words FROM texts ORDER BY embedding <=> $1 LIMIT 1"
	var text string
	must(0, database.QueryRow(ctx, nearest, pgvector.NewVector(vectors[3])).Scan(&text))
	fmt.Println(text)
	// Output: share prices are falling
}

var ctx = context.Background()

// must stands for a program's own handling of errors.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

//go:build linux || darwin

package usearch_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/recipes/usearch"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

func TestMain(m *testing.M) {
	if os.Getenv("USEARCH_LIBRARY") == "" {
		fmt.Println("left out: USEARCH_LIBRARY names no libusearch_c; ci/usearch.sh builds one")
		return
	}
	os.Exit(m.Run())
}

// encoder encodes texts, each time into an arena of its own.
type encoder struct {
	*testing.T
	library  *uform.Library
	model    *uform.Model
	executor *uform.Executor
}

func newEncoder(t *testing.T) encoder {
	e := encoder{T: t}
	var err error
	e.library, err = uform.Open(nil)
	require.NoError(t, err)
	e.model, err = words.Load(t.Context(), e.library, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.model.Close()) })
	e.executor, err = e.library.NewExecutor(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.executor.Close()) })
	return e
}

func (e encoder) rows(texts []string, kind uform.Scalar) uform.Rows {
	e.Helper()
	arena, err := e.library.NewArena(e.executor)
	require.NoError(e, err)
	e.Cleanup(func() { require.NoError(e, arena.Close()) })
	encoded, err := e.model.On(e.executor).TextEncode(e.Context(), uform.Strings(texts), arena, &uform.TextOptions{Scalar: kind})
	require.NoError(e, err)
	return encoded.Embeddings
}

func open(t *testing.T) *usearch.Library {
	t.Helper()
	library, err := usearch.Open(os.Getenv("USEARCH_LIBRARY"))
	require.NoError(t, err)
	t.Logf("USearch %s", library.Version())
	return library
}

// many returns different short sentences.
func many(count int) []string {
	const names = "cat dog man woman child bird car train house river tree cloud song book fish horse boat king cook thief"
	const verbs = "sees hears loves finds takes paints carries follows sells breaks hides cleans"
	const places = "in the garden|at night|under the bridge|on the roof|near the sea|in winter|by the window|after school|before dawn|in the rain|at the market"
	subjects, actions, where := strings.Fields(names), strings.Fields(verbs), strings.Split(places, "|")
	texts := make([]string, count)
	for i := range texts {
		n := i
		take := func(of []string) string {
			word := of[n%len(of)]
			n /= len(of)
			return word
		}
		texts[i] = fmt.Sprintf("the %s %s the %s %s", take(subjects), take(actions), take(subjects), take(where))
		if n > 0 {
			texts[i] += fmt.Sprintf(", %d times", n+1)
		}
	}
	return texts
}

var questions = []string{"a kitten on the lawn", "somebody buys a canoe", "an orchestra", "pets", "the horse finds the fish at night"}

// metrics are those that the kinds are compared by. The cosine of i8 is left out: where the product
// of two rows is 0, USearch 2.26.2 without NumKong says that they are equal.
var metrics = map[uform.Scalar]usearch.Metric{
	uform.F32: usearch.Cosine, uform.F16: usearch.Cosine, uform.BF16: usearch.Cosine, uform.I8: usearch.InnerProduct,
}

// similarity is what a distance says of rows of a kind; USearch multiplies bytes as integers.
func similarity(match usearch.Match, kind uform.Scalar) float64 {
	if kind == uform.I8 {
		return (1 - float64(match.Distance)) / (127 * 127)
	}
	return 1 - float64(match.Distance)
}

// plain returns the similarity of each row to each query, by a plain loop in 64 bits over the first
// columns.
func plain(t *testing.T, rows, queries uform.Rows, columns int) [][]float64 {
	t.Helper()
	asked, err := queries.Copy()
	require.NoError(t, err)
	all := make([][]float64, len(asked))
	for _, row := range rows.All() {
		for q, query := range asked {
			var product, squares, others float64
			for k, value := range row[:columns] {
				product += float64(query[k]) * float64(value)
				squares += float64(query[k]) * float64(query[k])
				others += float64(value) * float64(value)
			}
			if metrics[rows.Scalar()] == usearch.Cosine {
				product /= math.Sqrt(squares * others)
			}
			all[q] = append(all[q], product)
		}
	}
	return all
}

// B12 of the contract: rows are what USearch takes, with their stride and kind of scalars. It finds
// in 100,000 rows, where they are, what a plain loop over the same rows finds.
func TestRowsAreUSearchsRows(t *testing.T) {
	library, e := open(t), newEncoder(t)
	texts := many(100_000)
	for kind, metric := range metrics {
		t.Run(kind.String(), func(t *testing.T) {
			e := e
			e.T = t
			rows, queries := e.rows(texts, kind), e.rows(questions, kind)
			require.Equal(t, 100_000, rows.Len())
			for _, columns := range []int{rows.Columns(), rows.Columns() / 4} { // then the stride passes over the rest
				began := time.Now()
				found, err := library.Exact(rows, queries, 10, &usearch.ExactOptions{Metric: metric, Columns: columns, Threads: 1})
				require.NoError(t, err)
				t.Logf("%d of %d columns, stride %d: %v a query", columns, rows.Columns(), rows.Stride(), time.Since(began)/time.Duration(queries.Len()))
				for q, want := range plain(t, rows, queries, columns) {
					best := slices.Sorted(slices.Values(want))
					slices.Reverse(best)
					require.Len(t, found[q], 10)
					for i, match := range found[q] {
						require.InDelta(t, best[i], similarity(match, kind), 1e-3, "query %d, place %d", q, i)
						require.InDelta(t, want[match.Key], similarity(match, kind), 1e-3, "query %d, row %d", q, match.Key)
					}
				}
			}
			switch kind {
			case uform.F32:
				indexed(t, library, rows, queries)
			case uform.I8: // fewer, to be short
				indexed(t, library, e.rows(texts[:10_000], kind), queries)
			}
		})
	}
}

// indexed adds rows to an index, which keeps copies in the rows' own kind, and requires that it
// finds most of what the exact search does.
func indexed(t *testing.T, library *usearch.Library, rows, queries uform.Rows) {
	kind := rows.Scalar()
	index, err := library.NewIndex(usearch.Options{
		Metric: metrics[kind], Scalar: kind, Columns: uintptr(rows.Columns()),
		Connectivity: 12, ExpansionAdd: 32, ExpansionSearch: 512,
	}, rows.Len())
	require.NoError(t, err)
	defer index.Close()
	began := time.Now()
	require.NoError(t, index.Add(0, rows))
	t.Logf("%v a thousand rows", time.Since(began)/time.Duration(rows.Len()/1000))
	found, err := index.Search(queries, 10)
	require.NoError(t, err)
	exact, err := library.Exact(rows, queries, 10, &usearch.ExactOptions{Metric: metrics[kind]})
	require.NoError(t, err)
	near := 0
	for q := range exact {
		require.Len(t, found[q], 10)
		for _, match := range found[q] {
			if similarity(match, kind) > similarity(exact[q][9], kind)-1e-4 {
				near++
			}
		}
	}
	t.Logf("%d of %d are among the nearest", near, 10*len(exact))
	require.Greater(t, near, 6*len(exact))
}

// What USearch must not be handed is refused before, and what it refuses is an error.
func TestRefusals(t *testing.T) {
	library, e := open(t), newEncoder(t)
	rows, bytes := e.rows(questions, uform.F32), e.rows(questions, uform.I8)
	_, err := library.Exact(rows, bytes, 1, nil)
	require.ErrorContains(t, err, "search exactly")
	for _, columns := range []int{-1, rows.Columns() + 1} {
		_, err = library.Exact(rows, rows, 1, &usearch.ExactOptions{Columns: columns})
		require.ErrorContains(t, err, "columns")
	}
	few, err := library.Exact(rows, rows, 100, nil)
	require.NoError(t, err)
	require.Len(t, few[0], len(questions), "no more than there are rows")
	index, err := library.NewIndex(usearch.Options{Metric: usearch.Cosine, Scalar: uform.F32, Columns: uintptr(rows.Columns())}, 5)
	require.NoError(t, err)
	require.NoError(t, index.Add(0, rows))
	require.ErrorContains(t, index.Add(0, rows), "row 0", "the key is taken")
	_, err = index.Search(rows, 0)
	require.Error(t, err)
	index.Close()
	index.Close()

	arena, err := e.library.NewArena(nil)
	require.NoError(t, err)
	encoded, err := e.model.TextEncode(context.Background(), uform.Strings(questions), arena, nil)
	require.NoError(t, err)
	require.NoError(t, arena.Close())
	_, err = library.Exact(encoded.Embeddings, rows, 1, nil)
	require.ErrorIs(t, err, uform.ErrClosed)
	_, err = usearch.Open("no such library")
	require.Error(t, err)
}

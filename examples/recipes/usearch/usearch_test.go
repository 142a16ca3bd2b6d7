//go:build linux || darwin

package usearch_test

import (
	"cmp"
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

// the nearest rows to each query by a plain loop in 64 bits, over the first columns.
func plain(t *testing.T, rows, queries uform.Rows, columns, nearest int) [][]usearch.Match {
	t.Helper()
	asked, err := queries.Copy()
	require.NoError(t, err)
	all := make([][]usearch.Match, len(asked))
	for i, row := range rows.All() {
		for q, query := range asked {
			var product, squares, others float64
			for k := range columns {
				product += float64(query[k]) * float64(row[k])
				squares += float64(query[k]) * float64(query[k])
				others += float64(row[k]) * float64(row[k])
			}
			distance := 1 - product/math.Sqrt(squares*others)
			all[q] = append(all[q], usearch.Match{Key: uint64(i), Distance: float32(distance)})
		}
	}
	for q := range all {
		slices.SortStableFunc(all[q], func(a, b usearch.Match) int { return cmp.Compare(a.Distance, b.Distance) })
	}
	return all
}

// B12 of the contract: rows are what USearch takes, with their stride and kind of scalars. It finds
// in 100,000 rows, where they are, what a plain loop over the same rows finds.
func TestRowsAreUSearchsRows(t *testing.T) {
	library, e := open(t), newEncoder(t)
	texts := many(100_000)
	for _, kind := range []uform.Scalar{uform.F32, uform.F16, uform.BF16, uform.I8} {
		t.Run(kind.String(), func(t *testing.T) {
			e := e
			e.T = t
			rows, queries := e.rows(texts, kind), e.rows(questions, kind)
			require.Equal(t, 100_000, rows.Len())
			for _, columns := range []int{rows.Columns(), rows.Columns() / 4} { // then the stride is four times the columns
				began := time.Now()
				found, err := library.Exact(rows, queries, 10, &usearch.ExactOptions{Columns: columns, Threads: 1})
				require.NoError(t, err)
				t.Logf("%d of %d columns, stride %d: %v a query", columns, rows.Columns(), rows.Stride(), time.Since(began)/time.Duration(queries.Len()))
				for q, want := range plain(t, rows, queries, columns, 10) {
					require.Len(t, found[q], 10)
					byKey := map[uint64]float32{}
					for _, match := range want {
						byKey[match.Key] = match.Distance
					}
					for i, match := range found[q] {
						require.InDelta(t, want[i].Distance, match.Distance, 1e-3, "query %d, place %d", q, i)
						require.InDelta(t, byKey[match.Key], match.Distance, 1e-3, "query %d, row %d", q, match.Key)
					}
				}
			}
		})
	}
}

// An index keeps copies in the rows' own kind, and finds nearly what the exact search does.
func TestIndexOfRows(t *testing.T) {
	library, e := open(t), newEncoder(t)
	texts := many(100_000)
	for _, kind := range []uform.Scalar{uform.F32, uform.I8} {
		t.Run(kind.String(), func(t *testing.T) {
			e := e
			e.T = t
			rows, queries := e.rows(texts, kind), e.rows(questions, kind)
			index, err := library.NewIndex(usearch.Options{
				Metric: usearch.Cosine, Scalar: kind, Columns: uintptr(rows.Columns()), Connectivity: 8, ExpansionAdd: 24,
			}, rows.Len())
			require.NoError(t, err)
			defer index.Close()
			began := time.Now()
			require.NoError(t, index.Add(0, rows))
			t.Logf("%v a thousand rows", time.Since(began)/time.Duration(rows.Len()/1000))
			found, err := index.Search(queries, 10)
			require.NoError(t, err)
			exact, err := library.Exact(rows, queries, 10, nil)
			require.NoError(t, err)
			near := 0
			for q := range exact {
				require.Len(t, found[q], 10)
				for _, match := range found[q] {
					if match.Distance <= exact[q][9].Distance+1e-4 {
						near++
					}
				}
			}
			t.Logf("%d of %d are among the nearest", near, 10*len(exact))
			require.Greater(t, near, 7*len(exact))
		})
	}
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

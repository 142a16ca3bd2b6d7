package words_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/words"
)

func Example() {
	library, err := uform.Open(nil)
	if err != nil {
		log.Fatal(err)
	}
	model, err := words.Load(context.Background(), library, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	texts := []string{"the doctor examined the patient", "physicians treat sick people", "the train was late again"}
	vectors, err := model.Embed(context.Background(), texts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(vectors[0]), dot(vectors[0], vectors[1]) > dot(vectors[0], vectors[2]))
	// Output: 384 true
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func load(t *testing.T, options *uform.OpenOptions) *uform.Model {
	t.Helper()
	library, err := uform.Open(options)
	require.NoError(t, err)
	model, err := words.Load(t.Context(), library, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	return model
}

func embed(t *testing.T, model *uform.Model, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := model.Embed(t.Context(), texts)
	require.NoError(t, err)
	return vectors
}

// The second text of each row means more like the first than the third does, though it shares no
// more words with it.
func TestMeaningRanks(t *testing.T) {
	model := load(t, &uform.OpenOptions{Embedded: true})
	for _, row := range [][3]string{
		{"a man is playing a guitar", "someone plays music on an instrument", "a woman is slicing an onion"},
		{"stocks fell sharply on Monday", "share prices dropped at the start of the week", "the children fell asleep on the sofa"},
		{"I forgot my password", "how can I log in to my account again", "I forgot to buy milk"},
		{"the physician treated the patient", "a doctor helped a sick man", "the musician wrote a song"},
		{"a puppy runs across the lawn", "a young dog is running on the grass", "a bus drives across the bridge"},
		{"heavy rain is expected tomorrow", "the weather will be wet", "my parcel will be late"},
		{"cheap flights to Paris", "inexpensive air travel to France", "a cheap used car"},
		{"dog", "puppy", "table"},
		{"car", "vehicle", "banana"},
		{"happy", "glad", "heavy"},
		{"ocean", "sea", "pencil"},
		{"football", "soccer", "kitchen"},
	} {
		vectors := embed(t, model, row[:]...)
		require.Greater(t, dot(vectors[0], vectors[1]), dot(vectors[0], vectors[2]), "%q", row)
	}
}

// A text with typing errors or changed letter case stays nearer to the original than to anything
// else.
func TestErrorsAreForgiven(t *testing.T) {
	model := load(t, &uform.OpenOptions{Embedded: true})
	texts := []string{
		"the weather forecast for tomorrow", "a recipe for chocolate cake", "how to repair a bicycle",
		"the history of ancient Rome", "treatment of a broken leg", "learning to play the piano",
	}
	wrong := []string{
		"the wether forcast for tommorow", "a recipie for choclate cake", "how to repair a bycicle",
		"THE HISTORY OF ANCIENT ROME", "treatmnet of a brokn leg", "Learning To Play The Paino",
	}
	vectors, others := embed(t, model, texts...), embed(t, model, wrong...)
	for i := range texts {
		for j := range texts {
			if i != j {
				require.Greater(t, dot(vectors[i], others[i]), dot(vectors[j], others[i]), "%q and %q", wrong[i], texts[j])
			}
		}
	}
	require.Equal(t, vectors[3], others[3], "letter case counts for nothing")
}

// Both implementations give the same results for the packed tables.
func TestBothLibrariesAgree(t *testing.T) {
	engine, native := load(t, &uform.OpenOptions{Embedded: true}), load(t, &uform.OpenOptions{Path: loadertest.Need(t)})
	texts := []string{
		"", " ", "a", "A plane is taking off.", "eine Katze schläft", "日本語のテキスト", "tabs\tand\nlines", "x" + strings.Repeat(" ab", 200),
		strings.Repeat("donaudampfschifffahrt", 40), "naïve café, 100 %!",
	}
	want, got := embed(t, engine, texts...), embed(t, native, texts...)
	for i := range texts {
		for c := range want[i] {
			require.InDelta(t, want[i][c], got[i][c], 1e-4, "%q, column %d", texts[i], c)
		}
	}
}

// choose returns the best choice of each text, and its probability.
func choose(t *testing.T, model *uform.Model, texts []string, choices string, questionType uint32) (best string, sure []float32) {
	t.Helper()
	arena, err := model.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	types := make([]uint32, len(texts))
	every := make([]string, len(texts))
	for i := range texts {
		types[i], every[i] = questionType, choices
	}
	chosen, err := model.TextChoose(t.Context(), uform.Strings(texts), uform.Strings(every), arena, &uform.ChooseOptions{QuestionTypes: types})
	require.NoError(t, err)
	for _, rows := range chosen.Probabilities.All() {
		choice, most := 0, float32(0)
		for c, row := range rows.All() {
			if row[0] > most {
				choice, most = c, row[0]
			}
		}
		best += choices[choice : choice+1]
		sure = append(sure, most)
	}
	return best, sure
}

// Most nouns are classified correctly, by both libraries alike.
func TestQuestionsAboutNouns(t *testing.T) {
	nouns := []string{"teacher", "horse", "island", "hammer", "doctor", "dog", "city", "bottle", "farmer", "eagle", "village", "shirt"}
	var four, yes []string
	for _, noun := range nouns {
		four = append(four, "Is it A a person, B an animal, C a place, D a thing that was made? "+noun)
		yes = append(yes, "Is it a person, Y or N? "+noun)
	}
	engine, native := load(t, &uform.OpenOptions{Embedded: true}), load(t, &uform.OpenOptions{Path: loadertest.Need(t)})
	count := func(want, got string) (right int) {
		for i := range want {
			if want[i] == got[i] {
				right++
			}
		}
		return right
	}
	best, sure := choose(t, engine, four, "ABCD", 1)
	require.GreaterOrEqual(t, count("ABCDABCDABCD", best), 9, best)
	other, surely := choose(t, native, four, "ABCD", 1)
	require.Equal(t, best, other)
	require.InDeltaSlice(t, sure, surely, 1e-5)
	best, _ = choose(t, engine, yes, "YN", 0)
	require.GreaterOrEqual(t, count("YNNNYNNNYNNN", best), 9, best)
}

func TestWhatItCannotDoIsSaid(t *testing.T) {
	model := load(t, &uform.OpenOptions{Embedded: true})
	arena, err := model.Library().NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()
	_, err = model.ImageEncode(t.Context(), uform.Strings([]string{"a picture"}), arena, nil)
	require.ErrorIs(t, err, uform.ErrUnsupported)
}

// The model card and the file agree, and so does the benchmark where its file stands beside the
// repository.
func TestTheCardTellsTheTruth(t *testing.T) {
	card, err := os.ReadFile("MODEL.md")
	require.NoError(t, err)
	checked := map[string]bool{}
	require.Contains(t, string(card), fmt.Sprintf("%d bytes, %d columns", len(words.Checkpoint()), columns))
	require.LessOrEqual(t, len(words.Checkpoint()), 4_000_000)
	checked["size"] = true
	if scored, err := os.ReadFile(development); err == nil {
		figure := spearman(t, load(t, &uform.OpenOptions{Embedded: true}), string(scored), nil)
		require.Contains(t, string(card), fmt.Sprintf("| as it is | %.3f |", figure))
		checked["STS-B dev"] = true
	}
	t.Log("checked:", checked)
}

const columns = 384

// spearman is the rank correlation of the model's cosines with the scores of a split of the STS
// benchmark, where the second sentence of each pair goes through change first, unless that is nil.
func spearman(t *testing.T, model *uform.Model, scored string, change func(string) string) float64 {
	t.Helper()
	var texts []string
	var people []float64
	for line := range strings.Lines(scored) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		score, err := strconv.ParseFloat(fields[4], 64)
		require.NoError(t, err)
		if change != nil {
			fields[6] = change(fields[6])
		}
		texts, people = append(texts, fields[5], fields[6]), append(people, score)
	}
	vectors := embed(t, model, texts...)
	cosines := make([]float64, len(people))
	for i := range cosines {
		cosines[i] = dot(vectors[2*i], vectors[2*i+1])
	}
	a, b := ranks(cosines), ranks(people)
	// Ranks of both have the same mean; their spreads differ where ranks are shared.
	mean := float64(len(a)-1) / 2
	var both, ofA, ofB float64
	for i := range a {
		both += (a[i] - mean) * (b[i] - mean)
		ofA += (a[i] - mean) * (a[i] - mean)
		ofB += (b[i] - mean) * (b[i] - mean)
	}
	return both / math.Sqrt(ofA*ofB)
}

// ranks returns the ranks of values; equal ones share the mean of theirs.
func ranks(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	places := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		end := first
		for end < len(sorted) && sorted[end] == v {
			end++
		}
		places[i] = float64(first+end-1) / 2
	}
	return places
}

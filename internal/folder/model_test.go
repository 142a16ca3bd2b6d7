package folder_test

import (
	"fmt"
	"io/fs"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/folder"
	"github.com/unum-cloud/uform-go/internal/folder/foldertest"
	"github.com/unum-cloud/uform-go/internal/trunk"
)

func open(t testing.TB, name string, options *folder.Options) *folder.Model {
	files, _ := goldenFolder(t, name)
	m, err := folder.Open(folder.Files(files), options)
	require.NoError(t, err)
	return m
}

// batch is the ids of some texts.
func batch(t testing.TB, m *folder.Model, texts ...string) (ids []int32, lengths []int) {
	var s folder.Scratch
	for _, text := range texts {
		before := len(ids)
		var err error
		ids, _, err = m.Tokenize(&s, ids, []byte(text), "")
		require.NoError(t, err)
		lengths = append(lengths, len(ids)-before)
	}
	return ids, lengths
}

func embed(t testing.TB, m *folder.Model, texts ...string) []float32 {
	ids, lengths := batch(t, m, texts...)
	embeddings := make([]float32, len(texts)*int(m.Describe().EmbeddingColumns))
	require.NoError(t, m.Encode(new(folder.Scratch), folder.Batch{IDs: ids, Lengths: lengths}, embeddings, nil, nil))
	return embeddings
}

var someTexts = []string{"a", "", "The boats came back from the sea.", strings.Repeat("What is the capital of France? ", 9), "b"}

// many repeats texts until there are several groups of them.
func many() (texts []string) {
	for i := range 150 {
		texts = append(texts, someTexts[i%len(someTexts)])
	}
	return texts
}

func TestDescription(t *testing.T) {
	m := open(t, "bert-prompts", nil)
	d := m.Describe()
	require.EqualValues(t, 32, d.EmbeddingColumns)
	require.EqualValues(t, 32, d.StateColumns)
	require.EqualValues(t, 48, d.Context)
	require.EqualValues(t, 2, d.Layers)
	require.EqualValues(t, 2, d.Heads)
	require.EqualValues(t, 1<<abi.ModalityText, d.Modalities)
	require.Equal(t, abi.ScalarF32, d.Kind)
	require.NotZero(t, d.Parameters)
	require.GreaterOrEqual(t, d.WeightsBytes, 4*d.Parameters)
	require.Equal(t, "bert", m.Details().Architecture)
	require.Equal(t, "WordPiece", m.Details().Tokenizer)
	require.NotEmpty(t, m.Details().Prompts)
	require.Contains(t, m.Details().Prompts, m.Details().DefaultPrompt)
	m.Details().Prompts[0] = "changed"
	require.NotEqual(t, "changed", m.Details().Prompts[0])
	for name, want := range map[string]string{"static": "static", "wordllama": "wordllama", "model2vec": "model2vec", "xlm-roberta": "xlm-roberta"} {
		require.Equal(t, want, open(t, name, nil).Details().Architecture)
	}
}

func TestUnknownPromptsListTheKnown(t *testing.T) {
	m := open(t, "bert-prompts", nil)
	dst := []int32{7}
	ids, _, err := m.Tokenize(new(folder.Scratch), dst, []byte("a"), "other")
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
	require.Equal(t, dst, ids)
	for _, name := range m.Details().Prompts {
		require.ErrorContains(t, err, name)
	}
	_, _, err = open(t, "bert", nil).Tokenize(new(folder.Scratch), nil, []byte("a"), "query")
	require.ErrorIs(t, err, errors.ErrInvalidArgument)
}

func TestTextsThatAreNotUTF8(t *testing.T) {
	m := open(t, "bert", nil)
	ids, _, err := m.Tokenize(new(folder.Scratch), []int32{7}, []byte("a\xffb"), "")
	require.ErrorIs(t, err, errors.ErrMalformed)
	require.Equal(t, []int32{7}, ids)
}

func TestBadArgumentsOfEncode(t *testing.T) {
	m := open(t, "bert", nil)
	ids, lengths := batch(t, m, "a", "b")
	room := make([]float32, 2*32)
	for name, encode := range map[string]func(s *folder.Scratch) error{
		"an id past the table": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: []int32{1 << 20}, Lengths: []int{1}}, room[:32], nil, nil)
		},
		"a negative id": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: []int32{-1}, Lengths: []int{1}}, room[:32], nil, nil)
		},
		"lengths that are too short": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: ids, Lengths: lengths[:1]}, room[:32], nil, nil)
		},
		"lengths that are too long": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: ids[1:], Lengths: lengths}, room, nil, nil)
		},
		"a negative length": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: ids, Lengths: []int{-1, len(ids) + 1}}, room, nil, nil)
		},
		"more than the context": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: make([]int32, 49), Lengths: []int{49}}, room[:32], nil, nil)
		},
		"room for too many": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: ids, Lengths: lengths}, make([]float32, 3*32), nil, nil)
		},
		"no room for states": func(s *folder.Scratch) error {
			return m.Encode(s, folder.Batch{IDs: ids, Lengths: lengths}, room, make([]float32, 32), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(folder.Scratch)
			require.ErrorIs(t, encode(s), errors.ErrInvalidArgument)
			require.NoError(t, m.Encode(s, folder.Batch{IDs: ids, Lengths: lengths}, room, nil, nil))
			require.Equal(t, embed(t, m, "a", "b"), room)
		})
	}
	require.NoError(t, m.Encode(new(folder.Scratch), folder.Batch{IDs: nil, Lengths: nil}, nil, nil, nil))
}

func TestKinds(t *testing.T) {
	for _, name := range []string{"bert", "modernbert", "nomic-swiglu", "mpnet"} {
		want := embed(t, open(t, name, nil), someTexts...)
		for kind, nearest := range map[abi.Scalar]float64{abi.ScalarF32: 1, abi.ScalarBF16: .999, abi.ScalarI8: .98} {
			t.Run(fmt.Sprintf("%s/%v", name, kind), func(t *testing.T) {
				m := open(t, name, &folder.Options{Kind: kind})
				require.Equal(t, kind, m.Describe().Kind)
				got := embed(t, m, someTexts...)
				var product, one, other float64
				for i, v := range want {
					product += float64(v) * float64(got[i])
					one += float64(v) * float64(v)
					other += float64(got[i]) * float64(got[i])
				}
				cosine := product / math.Sqrt(one*other)
				t.Logf("%.5f", cosine)
				require.GreaterOrEqual(t, cosine, nearest-1e-9)
			})
		}
	}
	files, _ := goldenFolder(t, "bert")
	_, err := folder.Open(folder.Files(files), &folder.Options{Kind: abi.ScalarF16})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	setTensor(t, files[weights], "encoder.layer.0.intermediate.dense.weight", 3.4e38)
	_, err = folder.Open(folder.Files(files), &folder.Options{Kind: abi.ScalarBF16})
	require.ErrorIs(t, err, errors.ErrMalformed)
	require.ErrorContains(t, err, "too large for bf16")
}

func TestProgress(t *testing.T) {
	files, _ := goldenFolder(t, "bert-shards")
	var done []uint64
	var last uint64
	_, err := folder.Open(folder.Files(files), &folder.Options{Progress: func(now, total uint64) bool {
		done = append(done, now)
		last = total
		return true
	}})
	require.NoError(t, err)
	require.Zero(t, done[0])
	require.Equal(t, last, done[len(done)-1])
	require.IsNonDecreasing(t, done)
	require.Less(t, done[len(done)-2], last)
	for stop := range len(done) - 1 {
		calls := 0
		m, err := folder.Open(folder.Files(files), &folder.Options{Progress: func(uint64, uint64) bool {
			calls++
			return calls <= stop
		}})
		require.Nil(t, m)
		require.ErrorIs(t, err, errors.ErrCancelled)
		require.Equal(t, stop+1, calls)
	}
}

// A panic of Progress reaches the caller of Open, on whichever goroutine it was.
func TestProgressPanics(t *testing.T) {
	files, _ := goldenFolder(t, "bert")
	for at := range 8 {
		calls := 0
		require.PanicsWithValue(t, "stop", func() {
			_, _ = folder.Open(folder.Files(files), &folder.Options{Progress: func(uint64, uint64) bool {
				if calls++; calls > at {
					panic("stop")
				}
				return true
			}})
		})
	}
}

func TestEncodeStops(t *testing.T) {
	for _, name := range []string{"bert", "static"} {
		m := open(t, name, nil)
		ids, lengths := batch(t, m, many()...)
		err := m.Encode(new(folder.Scratch), folder.Batch{IDs: ids, Lengths: lengths}, make([]float32, len(lengths)*int(m.Describe().EmbeddingColumns)), nil, func() bool { return true })
		require.ErrorIs(t, err, errors.ErrCancelled)
	}
}

// Any number of goroutines gives the same bits, whatever stands beside a text.
func TestTeamsGiveTheSameBits(t *testing.T) {
	for _, name := range foldertest.Names(t, "testdata") {
		m := open(t, name, nil)
		if m.Describe().Modalities>>abi.ModalityText&1 == 0 {
			continue
		}
		want := embed(t, m, many()...)
		ids, lengths := batch(t, m, many()...)
		for _, helpers := range []int{1, 3} {
			team := trunk.NewTeam(0)
			scratches := make([]folder.Scratch, helpers+1)
			for i := range scratches {
				scratches[i].Join(team)
			}
			var all sync.WaitGroup
			for i := range helpers {
				all.Go(scratches[i+1].Help)
			}
			got := make([]float32, len(want))
			require.NoError(t, m.Encode(&scratches[0], folder.Batch{IDs: ids, Lengths: lengths}, got, nil, nil))
			scratches[0].Help()
			all.Wait()
			require.Equal(t, want, got, name)
		}
	}
}

func TestNothingIsAllocatedInASteadyLoop(t *testing.T) {
	for _, name := range []string{"bert-prompts", "modernbert", "mpnet", "bert-dense-residual", "static", "model2vec", "wordllama"} {
		m := open(t, name, nil)
		var s folder.Scratch
		texts := many()
		ids, lengths := batch(t, m, texts...)
		embeddings := make([]float32, len(texts)*int(m.Describe().EmbeddingColumns))
		states := make([]float32, len(ids)*int(m.Describe().StateColumns))
		text := []byte(texts[3])
		allocated := testing.AllocsPerRun(5, func() {
			at := ids[:0]
			for range 3 {
				var err error
				if at, _, err = m.Tokenize(&s, at, text, ""); err != nil {
					panic(err)
				}
			}
			ids, _ = ids[:cap(ids)], at
			if err := m.Encode(&s, folder.Batch{IDs: ids[:lengths[0]], Lengths: lengths[:1]}, embeddings[:len(embeddings)/len(texts)], nil, nil); err != nil {
				panic(err)
			}
		})
		require.Zero(t, allocated, name)
		ids, lengths = batch(t, m, texts...)
		allocated = testing.AllocsPerRun(5, func() {
			if err := m.Encode(&s, folder.Batch{IDs: ids, Lengths: lengths}, embeddings, states, nil); err != nil {
				panic(err)
			}
		})
		require.Zero(t, allocated, name)
		require.NotZero(t, s.Bytes())
	}
}

// shaky is a source that panics at a file.
type shaky struct {
	folder.Source
	at string
}

func (s shaky) Open(name string) (fs.File, error) {
	if name == s.at {
		panic("cannot open " + name)
	}
	return s.Source.Open(name)
}

// A panic of the source is one of Open, whichever goroutine reads the file.
func TestPanicsOfASource(t *testing.T) {
	files, _ := goldenFolder(t, "bert")
	for _, at := range []string{"config.json", "tokenizer.json"} {
		require.PanicsWithValue(t, "cannot open "+at, func() {
			_, _ = folder.Open(shaky{folder.Files(files), at}, nil)
		})
	}
}

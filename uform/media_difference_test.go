package uform_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

func TestMediaProbe(t *testing.T) {
	checkpoint := mini.Checkpoint()
	p := openPair(t, checkpoint, nil)
	for folder, verb := range map[string]func(f fixture, files uform.Tape) (uform.Encoded, error){
		"images": func(f fixture, files uform.Tape) (uform.Encoded, error) { return f.model.On(f.executor).ImageEncode(background, files, f.arena, &uform.EncodeOptions{Outputs: uform.Embeddings|uform.States}) },
		"video": func(f fixture, files uform.Tape) (uform.Encoded, error) { return f.model.On(f.executor).VideoEncode(background, files, f.arena, &uform.EncodeOptions{Outputs: uform.Embeddings|uform.States}) },
		"audio": func(f fixture, files uform.Tape) (uform.Encoded, error) { return f.model.On(f.executor).AudioEncode(background, files, f.arena, &uform.EncodeOptions{Outputs: uform.Embeddings|uform.States}) },
	} {
		names, _ := filepath.Glob("../testdata/media/" + folder + "/*.*")
		for _, name := range names {
			if filepath.Ext(name) == ".md" { continue }
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			a, ea := verb(p.engine, uform.Bytes([][]byte{data}))
			b, eb := verb(p.native, uform.Bytes([][]byte{data}))
			if ea != nil || eb != nil {
				t.Log("ERR ", filepath.Base(name), ea, "|||", eb)
				continue
			}
			ca, _ := a.Copy()
			cb, _ := b.Copy()
			worst := 1.0
			if len(ca.States[0]) != len(cb.States[0]) { t.Log("TOKENS", name, len(ca.States[0]), len(cb.States[0])); continue }
			for i := range ca.States[0] { worst = math.Min(worst, cos(ca.States[0][i], cb.States[0][i])) }
			t.Logf("%-30s emb 1-%.2g  state 1-%.2g", filepath.Base(name), 1-cos(ca.Embeddings[0], cb.Embeddings[0]), 1-worst)
		}
	}
}

func cos(a, b []float32) float64 {
	var s, x, y float64
	for i := range a { s += float64(a[i])*float64(b[i]); x += float64(a[i])*float64(a[i]); y += float64(b[i])*float64(b[i]) }
	return s / math.Sqrt(x*y)
}

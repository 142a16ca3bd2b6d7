package uform_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/loadertest"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
	"github.com/unum-cloud/uform-go/uform/senses"
)

// Another share of the lane scales both parts of a vector, whose length stays 1, and changes no
// other model.
func TestLaneShare(t *testing.T) {
	const dense, own = 64, 0.5 // of package mini
	f := newFixture(t, nil)
	path := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(path, mini.Checkpoint(), 0o600))
	base := vectors(t, f.model, someTexts...)
	for _, share := range []float64{1e-3, 0.2, own, 0.9} {
		options := &uform.LoadOptions{LaneShare: share}
		for name, load := range map[string]func() (*uform.Model, error){
			"path":  func() (*uform.Model, error) { return f.library.Load(background, path, options) },
			"bytes": func() (*uform.Model, error) { return f.library.LoadBytes(background, mini.Checkpoint(), options) },
			"fs": func() (*uform.Model, error) {
				return f.library.LoadFS(background, fstest.MapFS{"a": {Data: mini.Checkpoint()}}, "a", options)
			},
		} {
			model, err := load()
			require.NoError(t, err)
			got := vectors(t, model, someTexts...)
			for i, text := range someTexts {
				for c, v := range base[i] {
					factor := math.Sqrt((1 - share) / (1 - own))
					if c >= dense {
						factor = math.Sqrt(share / own)
					}
					if text == "" { // it has neither part
						factor = 1
					}
					require.InDelta(t, factor*float64(v), got[i][c], 1e-6, "%s, share %v, %q, column %d", name, share, text, c)
				}
			}
			require.NoError(t, model.Close())
		}
	}
	require.Equal(t, base, vectors(t, f.model, someTexts...))
}

func TestLaneSharesThatAreRefused(t *testing.T) {
	f := newFixture(t, nil)
	for _, share := range []float64{-0.1, 1, 1.5, math.Inf(1), math.NaN()} {
		_, err := mini.Load(t.Context(), f.library, &uform.LoadOptions{LaneShare: share})
		require.ErrorIs(t, err, uform.ErrInvalidArgument, share)
		require.ErrorContains(t, err, "above 0 and below 1")
	}
	half := &uform.LoadOptions{LaneShare: 0.5}
	_, err := senses.Load(t.Context(), f.library, half)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "no lexical lane")
	path, _ := folderOf(t, "bert")
	_, err = f.library.Load(t.Context(), path, half)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "no lexical lane")

	shared, err := uform.Open(&uform.OpenOptions{Path: loadertest.Need(t)})
	require.NoError(t, err)
	_, err = mini.Load(t.Context(), shared, half)
	require.ErrorIs(t, err, uform.ErrUnsupported)
	require.ErrorContains(t, err, "OpenOptions.Embedded")
}

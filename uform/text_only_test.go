//go:build uform_text

package uform_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/testdata/media"
	"github.com/unum-cloud/uform-go/uform"
	"github.com/unum-cloud/uform-go/uform/mini"
)

// With the tag uform_text, texts, pixels and samples are encoded as ever; files and training are
// unsupported, and the error says why.
func TestTextOnly(t *testing.T) {
	ctx := context.Background()
	library, err := uform.Open(&uform.OpenOptions{Embedded: true})
	require.NoError(t, err)
	for _, capability := range []abi.Capability{abi.CapabilityImageFiles, abi.CapabilityVideoFiles, abi.CapabilityAudioFiles, abi.CapabilityTraining} {
		require.NotContains(t, library.Capabilities(), capability)
	}
	model, err := mini.Load(ctx, library, nil)
	require.NoError(t, err)
	defer model.Close()
	executor, err := library.NewExecutor(nil)
	require.NoError(t, err)
	defer executor.Close()
	arena, err := library.NewArena(nil)
	require.NoError(t, err)
	defer arena.Close()

	vectors, err := model.Embed(ctx, []string{"a text"})
	require.NoError(t, err)
	require.Len(t, vectors, 1)
	_, err = model.ImageEncodePixels(ctx, uform.Pixels{Tape: uform.Bytes([][]byte{{1, 2, 3}}), Heights: []uint32{1}, Widths: []uint32{1}}, arena, nil)
	require.NoError(t, err)
	_, err = model.AudioEncodeSamples(ctx, uform.Recordings(0, make([]float32, 16000)), arena, nil)
	require.NoError(t, err)

	file := func(name string) uform.Tape {
		content, err := media.Files.ReadFile(name)
		require.NoError(t, err)
		return uform.Bytes([][]byte{content})
	}
	_, image := model.ImageEncode(ctx, file("images/rgb-8.png"), arena, nil)
	_, video := model.VideoEncode(ctx, file("video/bt709.mp4"), arena, nil)
	_, audio := model.AudioEncode(ctx, file("audio/s16.wav"), arena, nil)
	_, training := library.NewTrainerBytes(ctx, mini.Checkpoint(), executor, nil)
	for what, err := range map[string]error{"images": image, "videos": video, "recordings": audio, "trainer": training} {
		require.ErrorIs(t, err, uform.ErrUnsupported, what)
		require.ErrorContains(t, err, what)
		require.ErrorContains(t, err, "uform_text", what)
	}
}

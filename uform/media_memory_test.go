package uform_test

import (
	"bytes"
	"image"
	"image/png"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// TestMemoryOfAThousandImages bounds what the engine holds for a batch. Each thread has one image
// at a time: the decoder's 4 bytes of a pixel, the 3 that are used, and a square of the model's
// size. So a batch of a thousand takes as much as two images, while all of them decoded at once
// would take over 20 times the bound.
func TestMemoryOfAThousandImages(t *testing.T) {
	const count, side, threads = 1000, 128, 2
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i / 512)
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, picture))
	f := newFixture(t, &uform.ExecutorOptions{Threads: threads})
	var files uform.Tape
	for range count {
		files.Append(file.Bytes())
	}
	encode := func(files uform.Tape, progress uform.Handler) {
		_, err := f.model.On(f.executor).ImageEncode(background, files, f.arena, &uform.EncodeOptions{Progress: progress})
		require.NoError(t, err)
	}
	encode(files, nil) // the arena and the executor's working memory have their sizes from here on
	live := func() uint64 {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	const bound = 1 << 21 // an image in two forms is 112 KiB, and a decoder keeps tables
	require.Greater(t, count*side*side*3, 20*bound)
	before, most := live(), uint64(0)
	encode(files, func(finished, _ int) error {
		if finished%40 == 0 {
			most = max(most, live()) // other threads are inside of an image meanwhile
		}
		return nil
	})
	require.Positive(t, most)
	require.Less(t, most, before+bound)
	runtime.KeepAlive(files)
}

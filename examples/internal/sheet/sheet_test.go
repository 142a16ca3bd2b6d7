package sheet_test

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/examples/internal/sheet"
)

// flat returns a picture of one colour.
func flat(width, height int, c color.Color) image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		picture.Set(i%width, i/width, c)
	}
	return picture
}

// Each card has room for its picture and what is said of it, below the title.
func Example() {
	drawn, err := (&sheet.Sheet{
		Title: "Nearest to a query", Query: sheet.Card{Label: "a query"},
		Cards:   []sheet.Card{{Picture: flat(2, 1, color.White), Label: "white.png", Score: 0.5}},
		Columns: 2, Width: 100, Height: 80,
	}).Draw()
	fmt.Println(drawn.Bounds().Size(), err)
	// Output: (324,270) <nil>
}

// TestPicturesAreWhereTheyBelong looks for colours: the query first, and pictures in the middle of
// their room.
func TestPicturesAreWhereTheyBelong(t *testing.T) {
	red, green, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}
	drawn, err := (&sheet.Sheet{
		Query: sheet.Card{Picture: flat(40, 40, red), Label: "q"},
		Cards: []sheet.Card{
			{Picture: flat(1, 300, green), Label: "a name that is much longer than the room that there is for it.jpeg", Score: 1},
			{Picture: flat(300, 1, blue), Label: "wide", Score: -1},
		},
		Columns: 2, Width: 100, Height: 80,
	}).Draw()
	require.NoError(t, err)
	// Two columns of 120 pixels and a gap of 20, from 32 on; rows of 146 from 92 on; rooms begin 10
	// further.
	for _, at := range []struct {
		x, y int
		want color.RGBA
	}{{92, 142, red}, {231, 142, green}, {92, 307, blue}} {
		require.Equal(t, at.want, drawn.RGBAAt(at.x, at.y), "%d, %d", at.x, at.y)
	}
	require.NotEqual(t, red, drawn.RGBAAt(44, 142), "a square leaves the sides of its room free")
	require.NotEqual(t, blue, drawn.RGBAAt(92, 290), "a line leaves what is above it")
}

func TestNothingFound(t *testing.T) {
	drawn, err := (&sheet.Sheet{Title: "A title that is wider than one card", Columns: 3, Width: 10, Height: 10}).Draw()
	require.NoError(t, err)
	require.Greater(t, drawn.Bounds().Dx(), 200)
}

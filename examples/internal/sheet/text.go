package sheet

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// fonts are the font sizes of a sheet.
type fonts struct{ title, label, small face }

type face struct{ font.Face }

// loadFonts reads the fonts of the Go project, which are part of the program.
func loadFonts() (*fonts, error) {
	made := &fonts{}
	for _, wanted := range []struct {
		face *face
		file []byte
		size float64
	}{{&made.title, gobold.TTF, 22}, {&made.label, goregular.TTF, 17}, {&made.small, goregular.TTF, 13}} {
		parsed, err := opentype.Parse(wanted.file)
		if err != nil {
			return nil, err
		}
		wanted.face.Face, err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: wanted.size, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// width returns that of a text in pixels.
func (f face) width(text string) int { return font.MeasureString(f, text).Ceil() }

// write draws a text from a point on its baseline. A text wider than most pixels is shortened in
// its middle, since the ends of names distinguish them.
func (f face) write(canvas draw.Image, x, baseline, most int, text string, c color.Color) {
	letters := []rune(text)
	for f.width(text) > most && len(letters) > 3 {
		half := len(letters) / 2
		letters = append(letters[:half:half], letters[half+1:]...)
		half = len(letters) / 2
		text = string(letters[:half]) + "…" + string(letters[half:])
	}
	drawer := font.Drawer{Dst: canvas, Src: image.NewUniform(c), Face: f, Dot: fixed.P(x, baseline)}
	drawer.DrawString(text)
}

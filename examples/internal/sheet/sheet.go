package sheet

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	xdraw "golang.org/x/image/draw"
)

// Card is one picture of a sheet.
type Card struct {
	// Picture is fitted into the card, whatever its size.
	Picture image.Image
	Label   string
	// Score is drawn as a number, and as a bar from the least of all cards to 1.
	Score float64
}

// Sheet is the content of a contact sheet.
type Sheet struct {
	// Title and Note are the lines on top.
	Title, Note string
	// Query is the item that the others were found by; its score is unused. Without a picture only
	// its label is drawn.
	Query Card
	Cards []Card
	// Columns is the number of cards in a row; Width and Height are the space for each picture, in
	// pixels.
	Columns, Width, Height int
}

const (
	margin  = 32
	gap     = 20
	padding = 10
	caption = 46 // below a picture: the label, the score, the bar
	header  = 92
)

var (
	paper = color.RGBA{0x16, 0x18, 0x1d, 255}
	panel = color.RGBA{0x23, 0x27, 0x2f, 255}
	well  = color.RGBA{0x0e, 0x10, 0x13, 255}
	ink   = color.RGBA{0xf1, 0xf3, 0xf5, 255}
	faint = color.RGBA{0x93, 0x9b, 0xa8, 255}
	track = color.RGBA{0x3a, 0x40, 0x4b, 255}
	weak  = color.RGBA{0x4c, 0x8d, 0xd6, 255}
	good  = color.RGBA{0x4f, 0xd1, 0xa1, 255}
	query = color.RGBA{0xf0, 0xb4, 0x4c, 255}
)

// Draw returns the picture of a sheet.
func (s *Sheet) Draw() (*image.RGBA, error) {
	fonts, err := loadFonts()
	if err != nil {
		return nil, err
	}
	cards := len(s.Cards) + 1 // the query comes first
	columns := min(max(s.Columns, 1), cards)
	rows := (cards + columns - 1) / columns
	wide, high := s.Width+2*padding, s.Height+2*padding+caption
	width := max(2*margin+columns*wide+(columns-1)*gap, 2*margin+fonts.title.width(s.Title), 2*margin+fonts.small.width(s.Note))
	canvas := image.NewRGBA(image.Rect(0, 0, width, header+margin+rows*high+(rows-1)*gap))
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	fonts.title.write(canvas, margin, margin+22, width-2*margin, s.Title, ink)
	fonts.small.write(canvas, margin, margin+46, width-2*margin, s.Note, faint)
	least := 1.0
	for _, card := range s.Cards {
		least = min(least, card.Score)
	}
	for i := range cards {
		at := image.Pt(margin+i%columns*(wide+gap), header+i/columns*(high+gap))
		place := image.Rectangle{at, at.Add(image.Pt(wide, high))}
		if i == 0 {
			s.drawCard(canvas, fonts, place, &s.Query, -1)
			outline(canvas, place, query)
			continue
		}
		card := &s.Cards[i-1]
		s.drawCard(canvas, fonts, place, card, share(card.Score, least))
	}
	return canvas, nil
}

// share returns where a score is between the least one and 1.
func share(score, least float64) float64 {
	if least >= 1 {
		return 1
	}
	// The last card keeps a little of its bar.
	return 0.06 + 0.94*(score-least)/(1-least)
}

// drawCard draws a card. The query's card has no score, and a share below zero.
func (s *Sheet) drawCard(canvas *image.RGBA, fonts *fonts, place image.Rectangle, card *Card, share float64) {
	draw.Draw(canvas, place, image.NewUniform(panel), image.Point{}, draw.Src)
	room := image.Rect(0, 0, s.Width, s.Height).Add(place.Min.Add(image.Pt(padding, padding)))
	draw.Draw(canvas, room, image.NewUniform(well), image.Point{}, draw.Src)
	if card.Picture != nil {
		xdraw.CatmullRom.Scale(canvas, fit(card.Picture.Bounds(), room), card.Picture, card.Picture.Bounds(), xdraw.Over, nil)
	} else {
		fonts.label.write(canvas, room.Min.X+padding, room.Min.Y+s.Height/2, s.Width-2*padding, card.Label, ink)
	}
	left, baseline := room.Min.X, room.Max.Y+20
	if share < 0 {
		fonts.small.write(canvas, left, baseline, s.Width, card.Label, ink)
		fonts.small.write(canvas, left, baseline+18, s.Width, "the query", query)
		return
	}
	score := fmt.Sprintf("%.4f", card.Score)
	fonts.small.write(canvas, room.Max.X-fonts.small.width(score), baseline, s.Width, score, good)
	fonts.small.write(canvas, left, baseline, s.Width-fonts.small.width(score)-padding, card.Label, ink)
	bar := image.Rect(left, baseline+10, room.Max.X, baseline+15)
	draw.Draw(canvas, bar, image.NewUniform(track), image.Point{}, draw.Src)
	bar.Max.X = bar.Min.X + int(share*float64(bar.Dx()))
	draw.Draw(canvas, bar, image.NewUniform(weak), image.Point{}, draw.Src)
}

// fit returns the largest rectangle of the picture's aspect ratio, centred in the space.
func fit(picture, room image.Rectangle) image.Rectangle {
	width, height := room.Dx(), room.Dy()
	if picture.Dx()*height > picture.Dy()*width {
		height = max(1, picture.Dy()*width/max(picture.Dx(), 1))
	} else {
		width = max(1, picture.Dx()*height/max(picture.Dy(), 1))
	}
	corner := room.Min.Add(image.Pt((room.Dx()-width)/2, (room.Dy()-height)/2))
	return image.Rectangle{corner, corner.Add(image.Pt(width, height))}
}

// outline draws a frame of two pixels inside of a rectangle.
func outline(canvas *image.RGBA, place image.Rectangle, c color.Color) {
	const thick = 2
	for _, side := range []image.Rectangle{
		{place.Min, image.Pt(place.Max.X, place.Min.Y+thick)}, {image.Pt(place.Min.X, place.Max.Y-thick), place.Max},
		{place.Min, image.Pt(place.Min.X+thick, place.Max.Y)}, {image.Pt(place.Max.X-thick, place.Min.Y), place.Max},
	} {
		draw.Draw(canvas, side, image.NewUniform(c), image.Point{}, draw.Src)
	}
}

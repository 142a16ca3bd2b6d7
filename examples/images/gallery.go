package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"

	"github.com/unum-cloud/uform-go/examples/internal/nearest"
)

// light is a colour, each part within 0 … 1.
type light [3]float64

// mix blends a and b by the share of b.
func (a light) mix(b light, share float64) (mixed light) {
	share = min(max(share, 0), 1)
	for i := range mixed {
		mixed[i] = a[i] + (b[i]-a[i])*share
	}
	return mixed
}

// scene is the colour at a place of a picture, from 0, 0 in its upper left to 1, 1; which is the
// variant, from 0 on.
type scene func(x, y, which float64) light

// scenes are what the gallery shows, in the order of their names.
var scenes = []struct {
	name string
	at   scene
}{{"beach", beach}, {"chess", chess}, {"forest", forest}, {"night", night}, {"sunset", sunset}, {"target", target}}

// variants is the number of pictures of each scene.
const variants = 4

// gallery draws pictures. It stores every second one as JPEG, the others as PNG.
func gallery() (files []nearest.File, err error) {
	const width, height = 240, 180
	for _, scene := range scenes {
		for which := range variants {
			picture := image.NewRGBA(image.Rect(0, 0, width, height))
			for y := range height {
				for x := range width {
					c := scene.at(float64(x)/width, float64(y)/height, float64(which))
					picture.SetRGBA(x, y, color.RGBA{uint8(255 * c[0]), uint8(255 * c[1]), uint8(255 * c[2]), 255})
				}
			}
			var file bytes.Buffer
			name := fmt.Sprintf("%s-%d.png", scene.name, which+1)
			if which%2 == 0 {
				name = fmt.Sprintf("%s-%d.jpg", scene.name, which+1)
				err = jpeg.Encode(&file, picture, &jpeg.Options{Quality: 90})
			} else {
				err = png.Encode(&file, picture)
			}
			if err != nil {
				return nil, err
			}
			files = append(files, nearest.File{Name: name, Content: file.Bytes()})
		}
	}
	return files, nil
}

// within returns 1 inside of a disc and 0 outside, with a soft edge.
func within(x, y, centreX, centreY, radius float64) float64 {
	return 0.5 + (radius-math.Hypot((x-centreX)*4/3, y-centreY))*60
}

func sunset(x, y, which float64) light {
	sky := light{0.35, 0.15 + 0.05*which, 0.45}.mix(light{1, 0.55, 0.2}, y*1.5)
	sky = sky.mix(light{1, 0.93, 0.6}, within(x, y, 0.3+0.13*which, 0.5, 0.13))
	sea := light{0.5, 0.22, 0.3}.mix(light{0.12, 0.08, 0.22}, (y-0.62)*3)
	sea = sea.mix(light{1, 0.7, 0.35}, 0.5-math.Abs(x-0.3-0.13*which)*5+0.3*math.Sin(y*160))
	return sky.mix(sea, (y-0.62)*100)
}

func beach(x, y, which float64) light {
	sky := light{0.35, 0.65, 0.95}.mix(light{0.8, 0.92, 1}, y*2)
	sky = sky.mix(light{1, 1, 1}, max(within(x, y, 0.2+0.15*which, 0.16, 0.07), within(x, y, 0.27+0.15*which, 0.18, 0.09)))
	water := light{0.05, 0.45, 0.7}.mix(light{0.3, 0.8, 0.85}, (y-0.4)*4)
	shore := 0.66 + 0.03*math.Sin(x*9+which)
	sand := light{0.93, 0.83, 0.6}.mix(light{0.8, 0.66, 0.42}, (y-shore)*3)
	return sky.mix(water, (y-0.4)*100).mix(sand, (y-shore)*60)
}

func forest(x, y, which float64) light {
	ground := light{0.75, 0.88, 0.8}.mix(light{0.2, 0.35, 0.15}, y*1.3)
	for row := range 3 {
		depth := float64(row)
		trees := 5 + 2*depth
		place := x*trees + depth*0.37 + which*0.21
		across := math.Abs(place - math.Floor(place) - 0.5)
		top := 0.28 + 0.17*depth + 0.07*math.Sin(math.Floor(place)*2.3+which)
		leaf := light{0.3, 0.5, 0.35}.mix(light{0.03, 0.22, 0.1}, depth/2)
		ground = ground.mix(leaf, (y-top-across*0.8)*40)
	}
	return ground
}

func night(x, y, which float64) light {
	sky := light{0.01, 0.02, 0.1}.mix(light{0.12, 0.1, 0.3}, y)
	for i := range 40 {
		n := float64(i) + which*40
		sky = sky.mix(light{1, 1, 0.95}, within(x, y, math.Mod(n*0.618, 1), 0.7*math.Mod(n*0.377, 1), 0.006+0.004*math.Mod(n, 2)))
	}
	sky = sky.mix(light{0.96, 0.95, 0.82}, within(x, y, 0.75-0.12*which, 0.25, 0.1))
	sky = sky.mix(light{0.02, 0.03, 0.12}, within(x, y, 0.71-0.12*which, 0.22, 0.09))
	hill := 0.78 - 0.1*math.Sin(x*5+which) - 0.03*math.Sin(x*17)
	return sky.mix(light{0.01, 0.02, 0.04}, (y-hill)*80)
}

func chess(x, y, which float64) light {
	size := 8 + 2*which
	if (int(x*size*4/3)+int(y*size))%2 == 0 {
		return light{0.93, 0.87, 0.75}
	}
	return light{0.4, 0.22, 0.13}
}

func target(x, y, which float64) light {
	ring := math.Hypot((x-0.5)*4/3, y-0.5) * (9 + 2*which)
	if ring > 4.4 {
		return light{0.9, 0.92, 0.95}
	}
	if int(ring)%2 == 0 {
		return light{0.85, 0.12, 0.15}
	}
	return light{1, 1, 1}
}

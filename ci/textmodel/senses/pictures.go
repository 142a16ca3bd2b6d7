package senses

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/unum-cloud/uform-go/internal/media/raster"
	"github.com/unum-cloud/uform-go/internal/model"
)

// Named is a picture or a sound, and its name.
type Named struct {
	Name string
	// Style is the artist of a picture or the voice of a word.
	Style string
	// Patches are the model's tokens.
	Patches []float32
}

// Styles are the sets of pictures, each in the npm package emoji-datasource-STYLE.
var Styles = []string{"google", "twitter"}

// Pictures returns the emoji in a folder of npm packages, without flags, keycaps and skin tones.
func Pictures(folder string, config *model.Image) ([]Named, error) {
	var all []Named
	for _, style := range Styles {
		root := filepath.Join(folder, "emoji-datasource-"+style)
		file, err := os.ReadFile(filepath.Join(root, "emoji.json"))
		if err != nil {
			return nil, err
		}
		var emoji []struct {
			Name      string   `json:"name"`
			Short     []string `json:"short_names"`
			Image     string   `json:"image"`
			Category  string   `json:"category"`
			SkinTones any      `json:"skin_variations"`
		}
		if err := json.Unmarshal(file, &emoji); err != nil {
			return nil, fmt.Errorf("%s: %w", root, err)
		}
		for _, e := range emoji {
			if e.Category == "Flags" || e.Category == "Symbols" || e.Category == "Component" {
				continue
			}
			picture, err := os.ReadFile(filepath.Join(root, "img", style, "64", e.Image))
			if os.IsNotExist(err) {
				continue // not every set has every picture
			} else if err != nil {
				return nil, err
			}
			patches, err := seen(picture, config)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Image, err)
			}
			name := strings.ToLower(e.Name)
			if name == "" && len(e.Short) > 0 {
				name = strings.ReplaceAll(e.Short[0], "_", " ")
			}
			all = append(all, Named{name, style, patches})
		}
	}
	return all, nil
}

// seen returns the patches of a picture's file, as the engine computes them.
func seen(file []byte, config *model.Image) ([]float32, error) {
	picture, err := raster.Decode(file, nil, [3]uint8{255, 255, 255})
	if err != nil {
		return nil, err
	}
	half := [3]float32{0.5, 0.5, 0.5}
	patches := make([]float32, config.Tokens()*config.PatchSize())
	raster.Patches(patches, raster.Resize(picture, config.Side), config.Side, config.Patch, half, half)
	return patches, nil
}

package folder

import (
	"math"
	"slices"

	"github.com/unum-cloud/uform-go/internal/media/preprocess"
)

// Preprocessing is how a model's pictures become patches.
type Preprocessing struct {
	preprocess.Preprocessing
	// Tokens is the number of rows that a picture's states have: those of its patches, and of
	// special tokens before them. StateColumns is the width of each, which may differ from that of
	// texts.
	Tokens, StateColumns int
}

// mostSide is the largest side of a picture, in pixels, that a model may read.
const mostSide = 1 << 12

// The means and deviations of CLIP's pictures.
var (
	clipMean      = []float64{0.48145466, 0.4578275, 0.40821073}
	clipDeviation = []float64{0.26862954, 0.26130258, 0.27577711}
)

// preprocessing reads preprocessor_config.json for pictures of a side, nil where there is none.
// What it leaves out is as the class that reads it has it: those of CLIP crop, and those of SigLIP
// do not.
func (b *builder) preprocessing(side, patch int, crops bool) (*Preprocessing, error) {
	c, err := b.at.object("preprocessor_config.json")
	if err != nil {
		return nil, err
	}
	if c == nil {
		whole, err := b.at.object("processor_config.json")
		if err != nil || whole == nil || !whole.has("image_processor") {
			return nil, err
		}
		c = whole.object("image_processor")
	}
	mean, deviation, usual := clipMean, clipDeviation, 224
	classes := []string{"CLIPImageProcessor", "CLIPImageProcessorFast", "CLIPFeatureExtractor"}
	if !crops {
		mean, deviation = []float64{.5, .5, .5}, []float64{.5, .5, .5}
		classes = []string{"SiglipImageProcessor", "SiglipImageProcessorFast"}
	}
	for _, key := range []string{"image_processor_type", "feature_extractor_type"} {
		if class := c.text(key, classes[0]); !slices.Contains(classes, class) {
			return nil, unsupported("%s: %s%s %s", c.file, c.within, key, shortened([]byte(class)))
		}
	}
	for _, key := range []string{"do_pad", "do_flip_channel_order", "do_thumbnail", "do_align_long_axis", "do_rotate"} {
		if c.flag(key, false) {
			return nil, unsupported("%s: %s%s", c.file, c.within, key)
		}
	}
	p := &Preprocessing{Preprocessing: preprocess.Preprocessing{Side: side, Patch: patch, Scale: 1}}
	width, height := 0, 0 // of every picture, once it is prepared
	if c.flag("do_resize", true) {
		filter := c.size("resample", int(preprocess.Bicubic))
		if filter >= preprocess.Filters {
			return nil, unsupported("%s: %sresample %d", c.file, c.within, filter)
		}
		p.Filter = preprocess.Filter(filter)
		width, height = sides(c, "size", usual, !crops)
		if width < 0 {
			p.Short, width, height = height, 0, 0
		}
		p.Width, p.Height = width, height
	}
	if c.flag("do_center_crop", crops) {
		width, height = sides(c, "crop_size", usual, true)
	}
	if c.flag("do_rescale", true) {
		p.Scale = c.number("rescale_factor", 1/255.)
	}
	if !c.flag("do_normalize", true) {
		mean, deviation = []float64{0, 0, 0}, []float64{1, 1, 1}
		p.set(c, "rescale_factor", mean, deviation)
	} else {
		p.set(c, "image_mean or image_std", c.numbers("image_mean", mean), c.numbers("image_std", deviation))
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	if width != side || height != side {
		return nil, unsupported("%s: %spictures of %d×%d where the model reads %d×%d", c.file, c.within, width, height, side, side)
	}
	return p, nil
}

// sides returns a width and height: of an integer, or of an object. A width of -1 means that the
// shorter side becomes the height. square is what an integer, or nothing, means.
func sides(c *object, key string, otherwise int, square bool) (width, height int) {
	if c.has(key) && c.members[key][0] == '{' {
		size := c.object(key)
		for _, other := range []string{"longest_edge", "max_height", "max_width"} {
			if size.has(other) {
				size.fail(other, "only shortest_edge, or height and width, are read")
			}
		}
		if !size.has("shortest_edge") {
			return size.count("width", 0), size.count("height", 0)
		}
		return -1, size.count("shortest_edge", 0)
	}
	n := c.count(key, otherwise)
	if square {
		return n, n
	}
	return -1, n
}

// set sets means and deviations, one for each channel, which an error calls by the name key. What
// they make of bytes must be finite.
func (p *Preprocessing) set(c *object, key string, mean, deviation []float64) {
	if len(mean) != 3 || len(deviation) != 3 {
		c.fail(key, "%d means and %d deviations where each of three channels has one", len(mean), len(deviation))
		return
	}
	for i := range 3 {
		p.Mean[i], p.Deviation[i] = float32(mean[i]), float32(deviation[i])
		for _, v := range []float64{0, 255} {
			made := float64((float32(v*p.Scale) - p.Mean[i]) / p.Deviation[i])
			if math.IsInf(made, 0) || math.IsNaN(made) {
				c.fail(key, "a byte of %v becomes %v", v, made)
			}
		}
	}
}

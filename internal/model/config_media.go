package model

import (
	"slices"
)

// Image is how pictures, and frames of clips, become tokens.
type Image struct {
	// Side is the side in pixels that every picture is resized to, a multiple of Patch.
	Side int `json:"side"`
	// Patch is the side of a patch in pixels. A patch is a token.
	Patch int `json:"patch"`
	// Mean and Deviation normalise channels of 0 … 1. Nil becomes 0.5 each in a file being written,
	// and is never read.
	Mean      *[3]float64 `json:"mean,omitempty"`
	Deviation *[3]float64 `json:"deviation,omitempty"`
	// Background is the red, green and blue behind transparent pixels. Nil becomes white in a file
	// being written, and is never read.
	Background *[3]uint8 `json:"background,omitempty"`
}

// Tokens returns how many tokens a picture has.
func (i *Image) Tokens() int { return (i.Side / i.Patch) * (i.Side / i.Patch) }

// PatchSize returns how many values a patch has: by row, column and channel.
func (i *Image) PatchSize() int { return 3 * i.Patch * i.Patch }

// Video is how clips become tokens: those of their frames end to end.
type Video struct {
	// Frames is how many frames of a clip are used.
	Frames int `json:"frames"`
}

// Audio is how recordings become tokens. A patch of frames is a token.
type Audio struct {
	// Rate is in samples per second.
	Rate int `json:"rate"`
	// Window is the number of samples of a frame, Hop the distance of two frames in samples.
	Window int `json:"window"`
	Hop    int `json:"hop"`
	// Mels is the number of bands of a frame, Low and High the outer edges in Hz.
	Mels int     `json:"mels"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Frames is the number of frames of a patch.
	Frames int `json:"frames"`
	// Mean and Deviation normalise a band's logarithm.
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// PatchSize returns how many values a patch has: band by band within each frame.
func (a *Audio) PatchSize() int { return a.Frames * a.Mels }

func (i *Image) read(r *reader) error {
	i.Mean, i.Deviation = &[3]float64{0.5, 0.5, 0.5}, &[3]float64{0.5, 0.5, 0.5}
	i.Background = &[3]uint8{255, 255, 255}
	return r.members([]string{"side", "patch"}, fields{
		"side":  integer(r, &i.Side, 8, 1024),
		"patch": integer(r, &i.Patch, 1, 128),
		"mean":  func() error { return r.channels(func(c int) error { return number(r, &i.Mean[c], within(-10, 10))() }) },
		"deviation": func() error {
			return r.channels(func(c int) error { return number(r, &i.Deviation[c], positive(10))() })
		},
		"background": func() error { return r.channels(func(c int) error { return i.readShade(r, c) }) },
	})
}

func (i *Image) readShade(r *reader, channel int) error {
	var shade int
	err := integer(r, &shade, 0, 255)()
	i.Background[channel] = uint8(shade)
	return err
}

func (v *Video) read(r *reader) error {
	return r.members([]string{"frames"}, fields{"frames": integer(r, &v.Frames, 1, 256)})
}

func (a *Audio) read(r *reader) error {
	required := []string{"rate", "window", "hop", "mels", "low", "high", "frames", "mean", "deviation"}
	return r.members(required, fields{
		"rate":      integer(r, &a.Rate, 4000, 96000),
		"window":    integer(r, &a.Window, 16, 8192),
		"hop":       integer(r, &a.Hop, 1, 8192),
		"mels":      integer(r, &a.Mels, 4, 256),
		"low":       number(r, &a.Low, within(0, 48000)),
		"high":      number(r, &a.High, within(0, 48000)),
		"frames":    integer(r, &a.Frames, 1, 256),
		"mean":      number(r, &a.Mean, within(-100, 100)),
		"deviation": number(r, &a.Deviation, positive(100)),
	})
}

// channels reads an array of three elements.
func (r *reader) channels(element func(channel int) error) error {
	count := 0
	err := r.array(func(index int) error {
		if count++; count > 3 {
			return malformed("more than 3")
		}
		return element(index)
	})
	if err == nil && count != 3 {
		err = malformed("%d instead of 3", count)
	}
	return err
}

func within(lowest, highest float64) func(float64) bool {
	return func(v float64) bool { return v >= lowest && v <= highest }
}

// positive returns the condition of being above 0 and at most highest.
func positive(highest float64) func(float64) bool {
	return func(v float64) bool { return v > 0 && v <= highest }
}

// mediaAgree checks conditions on several members of pictures, clips and recordings.
func (c *Config) mediaAgree() error {
	has := func(name string) bool { return slices.Contains(c.Modalities, name) }
	for _, part := range []struct {
		name          string
		there, wanted bool
	}{
		{"image", c.Image != nil, has("image") || has("video")},
		{"video", c.Video != nil, has("video")},
		{"audio", c.Audio != nil, has("audio")},
	} {
		switch {
		case part.wanted && !part.there:
			return malformed("%s is missing, and the modalities %q need it", part.name, c.Modalities)
		case part.there && !part.wanted:
			return malformed("%s is present, but none of the modalities %q needs it", part.name, c.Modalities)
		}
	}
	if c.Image != nil {
		if c.Image.Side%c.Image.Patch != 0 {
			return malformed("image: side: %d is not a multiple of patch, %d", c.Image.Side, c.Image.Patch)
		}
		if tokens := c.Image.Tokens(); tokens > c.Context {
			return malformed("image: side and patch: %d tokens are more than the context, %d", tokens, c.Context)
		}
	}
	if c.Video != nil && c.Video.Frames*c.Image.Tokens() > c.Context {
		return malformed("video: frames: %d tokens are more than the context, %d", c.Video.Frames*c.Image.Tokens(), c.Context)
	}
	if c.Audio == nil {
		return nil
	}
	return c.Audio.agree()
}

func (a *Audio) agree() error {
	switch {
	case a.Hop > a.Window:
		return malformed("audio: hop: %d is more than window, %d", a.Hop, a.Window)
	case a.Low >= a.High:
		return malformed("audio: low: %v is not below high, %v", a.Low, a.High)
	case a.High > float64(a.Rate)/2:
		return malformed("audio: high: %v is above half of rate, %d", a.High, a.Rate)
	}
	return nil
}

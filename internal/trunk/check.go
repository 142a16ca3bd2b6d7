package trunk

import (
	"fmt"
	"slices"

	"github.com/unum-cloud/uform-go/errors"
)

// buckets is how many rows a relative bias has.
const buckets = 32

// check reports what no layer could satisfy.
func (c *Config) check() error {
	switch {
	case c.Width <= 0 || c.Heads <= 0 || c.Width%c.Heads != 0:
		return malformed("%d heads do not divide a width of %d", c.Heads, c.Width)
	case c.Hidden <= 0:
		return malformed("the feed-forward part has a width of %d", c.Hidden)
	case c.Norm != RMSNorm && c.Norm != LayerNorm:
		return malformed("%d is no kind of norm", c.Norm)
	case !(c.Epsilon >= 0):
		return malformed("the epsilon of norms is %v", c.Epsilon)
	case c.Activation < SiLU || c.Activation > ReLU:
		return malformed("%d is no activation", c.Activation)
	case c.RelativeBias != nil && len(c.RelativeBias) != buckets*c.Heads:
		return malformed("the relative bias has %d scalars where %d of %d heads belong", len(c.RelativeBias), buckets, c.Heads)
	}
	return nil
}

// checkLayer reports what does not fit in layer number index.
func (c *Config) checkLayer(l *Layer, index int, last bool) error {
	err := func() error {
		switch size := c.Width / c.Heads; {
		case l.RotaryBase != 0 && !(l.RotaryBase > 0):
			return malformed("the rotary base is %v", l.RotaryBase)
		case l.RotaryBase != 0 && size%2 != 0:
			return malformed("rotary positions need heads of an even size, not %d", size)
		case l.Window < 0:
			return malformed("the window is %d", l.Window)
		case l.Probe != nil && !last:
			return malformed("a layer with a probe is not the last one")
		case l.Probe != nil && !l.Query.Weight.Missing():
			return malformed("there are both a query and a probe")
		case l.Probe != nil && (l.RotaryBase != 0 || l.Window != 0 || c.Causal || c.RelativeBias != nil):
			return malformed("a probe has no position")
		}
		for _, norm := range []struct {
			name string
			norm *Norm
		}{{"attention norm", &l.AttentionNorm}, {"feed-forward norm", &l.FeedforwardNorm}} {
			if err := c.checkNorm(norm.norm); err != nil {
				return fmt.Errorf("%s: %w", norm.name, err)
			}
		}
		for _, vector := range []struct {
			name    string
			scalars []float32
		}{{"attention scale", l.AttentionScale}, {"feed-forward scale", l.FeedforwardScale}, {"probe", l.Probe}} {
			if vector.scalars != nil && len(vector.scalars) != c.Width {
				return malformed("%s: has %d scalars where %d belong", vector.name, len(vector.scalars), c.Width)
			}
		}
		names := [...]string{"query", "key", "value", "output", "up", "gate", "down"}
		for i, linear := range l.linears() {
			outputs, inputs := c.Width, c.Width
			switch linear {
			case &l.Up, &l.Gate:
				outputs = c.Hidden
			case &l.Down:
				inputs = c.Hidden
			}
			optional := linear == &l.Gate || linear == &l.Query && l.Probe != nil
			if optional && linear.Weight.Missing() && linear.Bias == nil {
				continue
			}
			if err := linear.check(outputs, inputs); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
			// The rows of a product are rounded once for all matrices that take them.
			var like *Linear
			switch linear {
			case &l.Key, &l.Value:
				like = &l.Query
				if l.Query.Weight.Missing() {
					like = &l.Key
				}
			case &l.Gate:
				like = &l.Up
			case &l.Output, &l.Down:
				like = &Linear{}
			default:
				continue
			}
			if m := &linear.Weight; m.Bytes != nil && !slices.Equal(m.Apart, like.Weight.Apart) {
				return malformed("%s: the inputs %d stand apart where it is %d", names[i], m.Apart, like.Weight.Apart)
			}
		}
		return nil
	}()
	if err != nil {
		return fmt.Errorf("layer %d: %w", index, err)
	}
	return nil
}

func (c *Config) checkNorm(n *Norm) error {
	switch {
	case n.Gain == nil && n.Bias != nil:
		return malformed("has a bias and no gain")
	case n.Gain != nil && len(n.Gain) != c.Width:
		return malformed("has %d scalars where %d belong", len(n.Gain), c.Width)
	case n.Bias != nil && len(n.Bias) != c.Width:
		return malformed("its bias has %d scalars where %d belong", len(n.Bias), c.Width)
	case n.Bias != nil && c.Norm == RMSNorm:
		return malformed("a norm by the root of the mean square has no bias")
	}
	return nil
}

func (l *Linear) check(outputs, inputs int) error {
	switch m := &l.Weight; {
	case m.Missing():
		return malformed("is missing")
	case m.Full != nil && m.Bytes != nil:
		return malformed("has two matrices")
	case m.Outputs() != outputs || m.Inputs() != inputs:
		return malformed("is %d × %d where %d × %d belongs", m.Outputs(), m.Inputs(), outputs, inputs)
	case (m.Columns != nil) != (len(m.Apart) > 0), m.Columns != nil && (m.Bytes == nil || m.Columns.Outputs() != outputs || m.Columns.Inputs() != len(m.Apart)+1):
		return malformed("the weights of inputs that stand apart do not fit")
	case len(m.Apart) > 0 && (m.Apart[0] < 0 || m.Apart[len(m.Apart)-1] >= inputs || !ascend(m.Apart)):
		return malformed("the inputs %d stand apart, of %d", m.Apart, inputs)
	case l.Bias != nil && len(l.Bias) != outputs:
		return malformed("its bias has %d scalars where %d belong", len(l.Bias), outputs)
	}
	return nil
}

// ascend reports whether each is greater than the one before.
func ascend(v []int) bool {
	for i := 1; i < len(v); i++ {
		if v[i] <= v[i-1] {
			return false
		}
	}
	return true
}

func malformed(format string, arguments ...any) error {
	return fmt.Errorf(format+": %w", append(arguments, errors.ErrMalformed)...)
}

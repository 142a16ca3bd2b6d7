package folder

import (
	"math"
	"slices"
	"sync"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// ropeScaling is the rotary positions of texts longer than those that a model was trained with: the
// longer a text, the larger the base of its angles.
type ropeScaling struct {
	base, factor float64
	trained      int // tokens

	mutex  sync.Mutex
	recent []scaledTrunk // the latest last
}

// scaledTrunk is a trunk for texts of one length. It shares all weights.
type scaledTrunk struct {
	length int
	trunk  *trunk.Trunk
}

// mostScaled is how many lengths are kept: each has a table of angles.
const mostScaled = 8

// of returns the trunk for texts of a length.
func (r *ropeScaling) of(t *tower, length int) (*trunk.Trunk, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	at := slices.IndexFunc(r.recent, func(s scaledTrunk) bool { return s.length == length })
	if at >= 0 {
		found := r.recent[at]
		copy(r.recent[at:], r.recent[at+1:])
		r.recent[len(r.recent)-1] = found
		return found.trunk, nil
	}
	size := float64(t.config.Width / t.config.Heads)
	ratio := r.factor*float64(length)/float64(r.trained) - (r.factor - 1)
	layers := slices.Clone(t.layers)
	for i := range layers {
		layers[i].RotaryBase = r.base * math.Pow(ratio, size/(size-2))
	}
	made, err := trunk.New(&t.config, layers)
	if err != nil {
		return nil, err
	}
	if len(r.recent) == mostScaled {
		r.recent = slices.Delete(r.recent, 0, 1)
	}
	r.recent = append(r.recent, scaledTrunk{length, made})
	return made, nil
}

// alone reports whether a text of so many tokens goes through a trunk of its own.
func (r *ropeScaling) alone(length int) bool { return r != nil && length > r.trained }

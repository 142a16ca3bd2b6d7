package folder

import (
	"math"
	"slices"
	"strings"

	"github.com/unum-cloud/uform-go/internal/trunk"
)

// poolingMode is a way to make one row of the rows of a text.
type poolingMode int

// The modes of sentence-transformers, in the order in which several are put side by side, and those
// of CLIP and SigLIP.
const (
	poolFirst poolingMode = iota
	poolMax
	poolMean
	poolMeanRoot     // the sum over the root of their number
	poolWeightedMean // with weights 1, 2, 3, …
	poolLast
	poolLargest // the row of the largest id
	poolEnd     // the row of the first end token
)

// pooling is what becomes of the rows of a text: a row of each mode, side by side.
type pooling struct {
	modes []poolingMode
	// includePrompt is false if the rows of a prompt have no part in the result.
	includePrompt bool
	end           int32 // the id of the end token, for poolEnd
}

var poolingModes = []struct {
	name, key string // as a value, and as a key of its own in older files
	mode      poolingMode
}{
	{"cls", "pooling_mode_cls_token", poolFirst},
	{"max", "pooling_mode_max_tokens", poolMax},
	{"mean", "pooling_mode_mean_tokens", poolMean},
	{"mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens", poolMeanRoot},
	{"weightedmean", "pooling_mode_weightedmean_tokens", poolWeightedMean},
	{"lasttoken", "pooling_mode_lasttoken", poolLast},
}

// addPooling reads the configuration of a Pooling.
func (b *builder) addPooling(at place) error {
	config, err := at.required("config.json")
	if err != nil {
		return err
	}
	p := &pooling{includePrompt: config.flag("include_prompt", true)}
	name := config.first("embedding_dimension", "word_embedding_dimension")
	if width := config.size(name, b.width); width != b.width {
		config.fail(name, "%d where rows of %d scalars come in", width, b.width)
	}
	if config.has("pooling_mode") {
		names := []string{""}
		if config.members["pooling_mode"][0] == '[' {
			names = config.list("pooling_mode")
		} else {
			names[0] = config.text("pooling_mode", "")
		}
		for _, name := range names {
			known := false
			for _, entry := range poolingModes {
				if entry.name == name {
					p.modes, known = append(p.modes, entry.mode), true
				}
			}
			if !known {
				return unsupported("%s: pooling_mode %s", config.file, shortened([]byte(name)))
			}
		}
	} else {
		for _, entry := range poolingModes {
			if config.flag(entry.key, false) {
				p.modes = append(p.modes, entry.mode)
			}
		}
		if p.modes == nil {
			p.modes = []poolingMode{poolMean}
		}
		for key := range config.members {
			known := slices.ContainsFunc(poolingModes, func(entry struct {
				name, key string
				mode      poolingMode
			}) bool {
				return entry.key == key
			})
			if strings.HasPrefix(key, "pooling_mode") && !known && string(config.members[key]) != "false" {
				return unsupported("%s: %s", config.file, shortened([]byte(key)))
			}
		}
	}
	const mostModes = 16
	if len(p.modes) == 0 || len(p.modes) > mostModes {
		config.fail("pooling_mode", "%d modes", len(p.modes))
	}
	if err := config.err(); err != nil {
		return err
	}
	b.pool(p)
	return nil
}

// apply writes the pooled row of a text to dst. rows are those of its ids, width scalars each; skip
// is how many of them a prompt has. sum has room for a row.
func (p *pooling) apply(dst []float32, rows []float32, width int, ids []int32, skip int, sum []float64) {
	count := len(ids)
	if p.includePrompt {
		skip = 0
	}
	row := func(i int) []float32 { return rows[i*width : (i+1)*width] }
	for _, mode := range p.modes {
		to := dst[:width]
		dst = dst[width:]
		at := -1 // of the one row that is taken
		switch mode {
		case poolFirst:
			if at = skip; at >= count {
				at = 0
			}
		case poolLast:
			if at = count - 1; skip >= count {
				at = -1
			}
		case poolLargest:
			for i, id := range ids {
				if at < 0 || id > ids[at] {
					at = i
				}
			}
		case poolEnd:
			at = max(0, slices.Index(ids, p.end))
		case poolMax:
			for i := skip; i < count; i++ {
				if i == skip {
					copy(to, row(i))
					continue
				}
				for c, v := range row(i) {
					to[c] = max(to[c], v)
				}
			}
		case poolMean, poolMeanRoot, poolWeightedMean:
			clear(sum)
			var weights float64
			for i := skip; i < count; i++ {
				weight := 1.0
				if mode == poolWeightedMean {
					weight = float64(i + 1)
				}
				weights += weight
				accumulate(sum, row(i), weight)
			}
			if mode == poolMeanRoot {
				weights = math.Sqrt(weights)
			}
			for c, v := range sum {
				to[c] = float32(v / max(weights, 1e-9))
			}
			continue
		}
		switch {
		case at >= 0:
			copy(to, row(at))
		case mode == poolLast || skip >= count:
			clear(to)
		}
	}
}

// accumulate adds a row to a sum in 64 bits: there may be more rows than a float32 has bits for.
func accumulate(sum []float64, row []float32, weight float64) {
	row = row[:len(sum)]
	if weight == 1 {
		for c := range sum {
			sum[c] += float64(row[c])
		}
		return
	}
	for c := range sum {
		sum[c] += float64(row[c]) * weight
	}
}

// rows returns which rows of each text are needed.
func (p *pooling) rows(skip int) trunk.Rows {
	if len(p.modes) == 1 && (p.includePrompt || skip == 0) {
		switch p.modes[0] {
		case poolFirst:
			return trunk.FirstRow
		case poolLast:
			return trunk.LastRow
		}
	}
	return trunk.EveryRow
}

package train_test

import (
	"math"

	"github.com/unum-cloud/uform-go/abi"
	"github.com/unum-cloud/uform-go/engine/train"
	"github.com/unum-cloud/uform-go/internal/model"
)

// reference is the architecture and the losses in 64 bits, written from docs/checkpoint.md and from
// the documentation of [train.Losses] alone: one item after the other, one weight after the other.
type reference struct {
	config  *model.Config
	weights map[string][]float64
}

func (r *reference) row(name string, i int) []float64 {
	columns := r.config.Width
	return r.weights[name][i*columns : (i+1)*columns]
}

func foldByte(b byte, folding bool) byte {
	if folding && b >= 'A' && b <= 'Z' {
		return b + 32
	}
	if folding && b >= 9 && b <= 13 {
		return ' '
	}
	return b
}

func padding(text []byte, folding bool) []byte {
	y := []byte{' '}
	for _, b := range text {
		y = append(y, foldByte(b, folding))
	}
	return append(y, ' ')
}

func hashed(start uint64, gram []byte) uint64 {
	h := start
	for _, b := range gram {
		h = (h ^ (uint64(b) + 1)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

func gramStart(m int) uint64 {
	start := uint64(0xC2B2AE3D27D4EB4F)
	return start * uint64(m)
}

func (r *reference) textInputs(text []byte) [][]float64 {
	n := len(text)
	rows := make([][]float64, n)
	for i, b := range text {
		rows[i] = append([]float64(nil), r.row("bytes", int(b))...)
	}
	grams := r.config.Grams
	if grams == nil {
		return rows
	}
	add := func(at int, h uint64) {
		for range grams.Hashes {
			for k, v := range r.row("grams", int((h^h>>32)%uint64(grams.Buckets))) {
				rows[at][k] += v
			}
			h = (h ^ 0xD6E8FEB86659FD93) * 0xFF51AFD7ED558CCD
		}
	}
	y := padding(text, grams.Fold)
	for p := 1; p <= n+1; p++ {
		for _, m := range grams.Sizes {
			if m <= p+1 {
				add(min(p, n)-1, hashed(gramStart(m), y[p-m+1:p+1]))
			}
		}
	}
	for start := 1; grams.Words && start <= n; start++ {
		if y[start] == ' ' || y[start-1] != ' ' {
			continue
		}
		end := start
		for y[end] != ' ' {
			end++
		}
		add(end-2, hashed(77, y[start:end]))
	}
	return rows
}

func (r *reference) patchInputs(item *train.Item) [][]float64 {
	name, size := "image.patches", 0
	if item.Modality == abi.ModalityAudio {
		name, size = "audio.patches", r.config.Audio.PatchSize()
	} else {
		size = r.config.Image.PatchSize()
	}
	var rows [][]float64
	for i := 0; i*size < len(item.Patches); i++ {
		patch := item.Patches[i*size : (i+1)*size]
		row := make([]float64, r.config.Width)
		for k := range row {
			for j, v := range patch {
				row[k] += r.weights[name][k*size+j] * float64(v)
			}
			if item.Modality != abi.ModalityAudio {
				row[k] += r.row("image.positions", i%r.config.Image.Tokens())[k]
			}
			if item.Modality == abi.ModalityVideo {
				row[k] += r.row("video.times", i/r.config.Image.Tokens())[k]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (r *reference) normed(x []float64, gain string) []float64 {
	var squares float64
	for _, v := range x {
		squares += v * v
	}
	root := math.Sqrt(squares/float64(len(x)) + r.config.NormEpsilon)
	out := make([]float64, len(x))
	for k, v := range x {
		out[k] = v / root * r.weights[gain][k]
	}
	return out
}

func (r *reference) times(name string, x []float64) []float64 {
	w := r.weights[name]
	out := make([]float64, len(w)/len(x))
	for j := range out {
		for k, v := range x {
			out[j] += w[j*len(x)+k] * v
		}
	}
	return out
}

func (r *reference) rotate(z []float64, position int) {
	size := r.config.Width / r.config.Heads
	for head := range r.config.Heads {
		for t := range size / 2 {
			angle := float64(position) * math.Pow(r.config.RotaryBase, -2*float64(t)/float64(size))
			a, b := z[head*size+t], z[head*size+t+size/2]
			z[head*size+t] = a*math.Cos(angle) - b*math.Sin(angle)
			z[head*size+t+size/2] = a*math.Sin(angle) + b*math.Cos(angle)
		}
	}
}

func plus(a, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range a {
		sum[i] = a[i] + b[i]
	}
	return sum
}

func dot64(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func (r *reference) layer(h [][]float64, prefix string) [][]float64 {
	n, size := len(h), r.config.Width/r.config.Heads
	q, k, v := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range h {
		u := r.normed(h[i], prefix+"attention.norm")
		q[i], k[i], v[i] = r.times(prefix+"attention.query", u), r.times(prefix+"attention.key", u), r.times(prefix+"attention.value", u)
		r.rotate(q[i], i)
		r.rotate(k[i], i)
	}
	out := make([][]float64, n)
	for i := range h {
		a := make([]float64, r.config.Width)
		for begin := 0; begin < r.config.Width; begin += size {
			weights, sum := make([]float64, n), 0.0
			for j := range h {
				weights[j] = math.Exp(dot64(q[i][begin:begin+size], k[j][begin:begin+size]) / math.Sqrt(float64(size)))
				sum += weights[j]
			}
			for j := range h {
				for t := begin; t < begin+size; t++ {
					a[t] += weights[j] / sum * v[j][t]
				}
			}
		}
		mid := plus(h[i], r.times(prefix+"attention.output", a))
		inner := r.times(prefix+"feedforward.up", r.normed(mid, prefix+"feedforward.norm"))
		for t, z := range inner {
			inner[t] = z / (1 + math.Exp(-z))
		}
		out[i] = plus(mid, r.times(prefix+"feedforward.down", inner))
	}
	return out
}

// states returns the input rows and the trunk's results of them.
func (r *reference) states(item *train.Item) (inputs, states [][]float64) {
	if item.Modality == abi.ModalityText {
		inputs = r.textInputs(item.Text)
	} else {
		inputs = r.patchInputs(item)
	}
	if r.config.Layers == 0 {
		return inputs, inputs
	}
	h := inputs
	for i := range r.config.Layers {
		h = r.layer(h, "layers."+string(rune('0'+i))+".")
	}
	for _, row := range h {
		states = append(states, r.normed(row, "norm"))
	}
	return inputs, states
}

func mean64(rows [][]float64) []float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		for k, v := range row {
			mean[k] += v / float64(len(rows))
		}
	}
	return mean
}

func unit64(v []float64) []float64 {
	length := math.Sqrt(dot64(v, v))
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] / length
	}
	return out
}

// embedding returns that of an item, and its dense part at length 1, nil for an empty item.
func (r *reference) embedding(item *train.Item) (embedding, dense []float64) {
	cut := *item
	if len(cut.Text) > r.config.Context {
		cut.Text = cut.Text[:r.config.Context]
	}
	if len(cut.Text)+len(cut.Patches) == 0 {
		return r.weights["empty"], nil
	}
	inputs, states := r.states(&cut)
	pooled := mean64(states)
	if r.config.Skip {
		pooled = append(pooled, mean64(inputs)...)
	}
	dense = unit64(r.times("projection", pooled))
	lexical := r.config.Lexical
	if lexical == nil {
		return dense, dense
	}
	lane := make([]float64, lexical.Columns)
	if item.Modality != abi.ModalityText {
		return append(append([]float64(nil), dense...), lane...), dense
	}
	y := padding(cut.Text, lexical.Fold)
	for p := 1; p < len(y); p++ {
		for _, m := range lexical.Sizes {
			if m > p+1 {
				continue
			}
			h := hashed(gramStart(m), y[p-m+1:p+1])
			w := r.weights["lexical"][(h^h>>32)%uint64(lexical.Buckets)]
			for c := range lane {
				z := h + uint64(c/64+1)*0x9E3779B97F4A7C15
				z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
				z = (z ^ z>>27) * 0x94D049BB133111EB
				z ^= z >> 31
				if z>>(c%64)&1 == 1 {
					lane[c] += w
				} else {
					lane[c] -= w
				}
			}
		}
	}
	for _, v := range dense {
		embedding = append(embedding, v*math.Sqrt(1-lexical.Share))
	}
	for _, v := range unit64(lane) {
		embedding = append(embedding, v*math.Sqrt(lexical.Share))
	}
	return embedding, dense
}

// loss returns the loss of a step.
func (r *reference) loss(b *train.Batch, l *train.Losses) float64 {
	rows, dense := make([][]float64, len(b.Items)), make([][]float64, len(b.Items))
	for i := range b.Items {
		rows[i], dense[i] = r.embedding(&b.Items[i])
	}
	total := l.Contrast * contrast64(b, rows, l.Temperature)
	total += distil64(b, rows, dense, r.config.Columns, l)
	total += l.Rank * rank64(b, rows, l.RankScale)
	for _, q := range b.Questions {
		total += l.Choice / float64(len(b.Questions)) * r.choice(&q)
	}
	return total
}

func contrast64(b *train.Batch, rows [][]float64, temperature float64) float64 {
	if b.Groups == nil {
		return 0
	}
	var sum float64
	var counted int
	for i := range rows {
		var own, positives float64
		for p := range rows {
			if p == i || b.Groups[p] != b.Groups[i] || b.Groups[i] < 0 {
				continue
			}
			whole := math.Exp(dot64(rows[i], rows[p]) / temperature)
			mine := whole
			for n := range rows {
				if b.Groups[n] != b.Groups[i] && b.Groups[n] >= 0 && b.Items[n].Modality == b.Items[p].Modality {
					whole += math.Exp(dot64(rows[i], rows[n]) / temperature)
				}
			}
			own -= math.Log(mine / whole)
			positives++
		}
		if positives > 0 {
			sum += own / positives
			counted++
		}
	}
	if counted == 0 {
		return 0
	}
	return sum / float64(counted)
}

func distil64(b *train.Batch, rows, dense [][]float64, columns int, l *train.Losses) (sum float64) {
	var with []int
	for i, target := range b.Targets {
		if target != nil {
			with = append(with, i)
		}
	}
	targets, own := map[int][]float64{}, map[int][]float64{}
	for _, i := range with {
		wide := make([]float64, len(b.Targets[i]))
		for k, v := range b.Targets[i] {
			wide[k] = float64(v)
		}
		targets[i], own[i] = unit64(wide), dense[i]
		if dense[i] == nil { // the embedding of an empty item is constant, and so is its beginning
			own[i] = rows[i][:min(len(wide), len(rows[i]))]
		}
		if len(wide) != columns || len(wide) == len(rows[i]) {
			own[i] = rows[i]
		}
	}
	n := float64(len(with))
	for _, i := range with {
		if l.Cosine > 0 {
			sum += l.Cosine / n * (1 - dot64(own[i], targets[i]))
		}
		for _, j := range with {
			if i != j {
				t := dot64(targets[i], targets[j])
				off := dot64(own[i], own[j]) - t
				sum += l.Similarity / (n * (n - 1)) * (1 + 4*math.Max(t, 0)) * off * off
			}
		}
	}
	return sum
}

func rank64(b *train.Batch, rows [][]float64, scale float64) float64 {
	sum := 1.0
	for _, p := range b.Pairs {
		for _, q := range b.Pairs {
			if p.Score > q.Score {
				sum += math.Exp(scale * (dot64(rows[q.A], rows[q.B]) - dot64(rows[p.A], rows[p.B])))
			}
		}
	}
	return math.Log(sum)
}

func (r *reference) choice(q *train.Question) float64 {
	state := r.weights["decoder.empty"]
	if len(q.Text) > 0 {
		text := q.Text[max(0, len(q.Text)-r.config.Context):]
		_, states := r.states(&train.Item{Text: text})
		state = states[len(states)-1]
	}
	inverse := r.config.Decoder.QuestionTypes[q.Type].InverseTemperature
	var sum float64
	for _, choice := range q.Choices {
		sum += math.Exp(inverse * dot64(r.row("decoder.head", int(choice)), state))
	}
	return math.Log(sum) - inverse*dot64(r.row("decoder.head", int(q.Choices[q.Answer])), state)
}

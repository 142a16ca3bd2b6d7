package engine_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/internal/media/clip"
	"github.com/unum-cloud/uform-go/internal/model"
)

// page is the architecture in 64 bits, from a file to an embedding, written from docs/checkpoint.md
// alone.
type page struct {
	config  *model.Config
	tensors map[string][]float64
}

func newPage(t *testing.T, config *model.Config) *page {
	container, err := model.ReadContainer(checkpoint(t, config))
	require.NoError(t, err)
	p := &page{config, map[string][]float64{}}
	for name, tensor := range container.Tensors {
		require.Equal(t, model.F32, tensor.DType)
		for at := 0; at < len(tensor.Data); at += 4 {
			v := math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[at:]))
			p.tensors[name] = append(p.tensors[name], float64(v))
		}
	}
	return p
}

// times returns a matrix times a vector.
func (p *page) times(name string, v []float64) []float64 {
	w := p.tensors[name]
	out := make([]float64, len(w)/len(v))
	for i := range out {
		for k := range v {
			out[i] += w[i*len(v)+k] * v[k]
		}
	}
	return out
}

func (p *page) norm(v []float64, name string) []float64 {
	squares := 0.0
	for _, x := range v {
		squares += x * x
	}
	out := make([]float64, len(v))
	for k, x := range v {
		out[k] = x / math.Sqrt(squares/float64(len(v))+1e-6) * p.tensors[name][k]
	}
	return out
}

// layer is one layer over the rows of an item, section 5.
func (p *page) layer(h [][]float64, name string) {
	heads := p.config.Heads
	size := p.config.Width / heads
	rotate := func(z []float64, position int) []float64 {
		out := make([]float64, len(z))
		for head := range heads {
			for t := range size / 2 {
				a := float64(position) * math.Pow(10000, -2*float64(t)/float64(size))
				i, j := head*size+t, head*size+t+size/2
				out[i], out[j] = z[i]*math.Cos(a)-z[j]*math.Sin(a), z[i]*math.Sin(a)+z[j]*math.Cos(a)
			}
		}
		return out
	}
	var q, k, v [][]float64
	for i := range h {
		u := p.norm(h[i], name+"attention.norm")
		q = append(q, rotate(p.times(name+"attention.query", u), i))
		k = append(k, rotate(p.times(name+"attention.key", u), i))
		v = append(v, p.times(name+"attention.value", u))
	}
	for i := range h {
		a := make([]float64, p.config.Width)
		for head := range heads {
			sum, weights := 0.0, make([]float64, len(h))
			for j := range h {
				product := 0.0
				for c := head * size; c < (head+1)*size; c++ {
					product += q[i][c] * k[j][c]
				}
				weights[j] = math.Exp(product / math.Sqrt(float64(size)))
				sum += weights[j]
			}
			for j := range h {
				for c := head * size; c < (head+1)*size; c++ {
					a[c] += weights[j] / sum * v[j][c]
				}
			}
		}
		for c, x := range p.times(name+"attention.output", a) {
			h[i][c] += x
		}
		inner := p.times(name+"feedforward.up", p.norm(h[i], name+"feedforward.norm"))
		for c, z := range inner {
			inner[c] = z / (1 + math.Exp(-z))
		}
		for c, x := range p.times(name+"feedforward.down", inner) {
			h[i][c] += x
		}
	}
}

// embed returns the embedding and the states of an item's tokens.
func (p *page) embed(tokens [][]float64) (embedding []float64, states [][]float64) {
	d := p.config.Width
	pooled := make([]float64, 2*d)
	for _, token := range tokens {
		states = append(states, append([]float64{}, token...))
		for k, x := range token {
			pooled[d+k] += x / float64(len(tokens))
		}
	}
	for i := range p.config.Layers {
		p.layer(states, "layers."+strconv.Itoa(i)+".")
	}
	for i := range states {
		states[i] = p.norm(states[i], "norm")
		for k, x := range states[i] {
			pooled[k] += x / float64(len(tokens))
		}
	}
	dense := p.times("projection", pooled)
	length := 0.0
	for _, x := range dense {
		length += x * x
	}
	embedding = make([]float64, p.config.EmbeddingColumns())
	for k, x := range dense {
		embedding[k] = x / math.Sqrt(length)
	}
	return embedding, states
}

func cubic(t float64) float64 {
	t = math.Abs(t)
	switch {
	case t < 1:
		return 1.5*t*t*t - 2.5*t*t + 1
	case t < 2:
		return -0.5*t*t*t + 2.5*t*t - 4*t + 2
	}
	return 0
}

// resized returns one axis of step 4 of section 9.
func resized(n, side int, input func(i int) float64) []float64 {
	out := make([]float64, side)
	s := math.Max(float64(n)/float64(side), 1)
	for o := range out {
		z, sum := (float64(o)+0.5)*float64(n)/float64(side), 0.0
		for i := range n {
			weight := cubic((float64(i) + 0.5 - z) / s)
			sum += weight
			out[o] += weight * input(i)
		}
		out[o] /= sum
	}
	return out
}

// picture returns the tokens of a picture with alpha, section 9 from step 3.
func (p *page) picture(source *image.NRGBA) (tokens [][]float64) {
	c := p.config.Image
	width, height, side := source.Rect.Dx(), source.Rect.Dy(), c.Side
	var channels [3][][]float64 // by row and column
	for channel := range channels {
		rows := make([][]float64, height)
		for y := range rows {
			rows[y] = resized(width, side, func(x int) float64 {
				at := source.PixOffset(x, y)
				v, alpha := int(source.Pix[at+channel]), int(source.Pix[at+3])
				return float64((v*alpha + int(c.Background[channel])*(255-alpha) + 127) / 255)
			})
		}
		channels[channel] = make([][]float64, side)
		for y := range side {
			channels[channel][y] = make([]float64, side)
		}
		for x := range side {
			for y, v := range resized(height, side, func(y int) float64 { return rows[y][x] }) {
				channels[channel][y][x] = (math.Max(0, math.Min(255, v))/255 - c.Mean[channel]) / c.Deviation[channel]
			}
		}
	}
	for top := 0; top < side; top += c.Patch {
		for left := 0; left < side; left += c.Patch {
			var patch []float64
			for y := top; y < top+c.Patch; y++ {
				for x := left; x < left+c.Patch; x++ {
					patch = append(patch, channels[0][y][x], channels[1][y][x], channels[2][y][x])
				}
			}
			token := p.times("image.patches", patch)
			for k := range token {
				token[k] += p.tensors["image.positions"][len(tokens)*len(token)+k]
			}
			tokens = append(tokens, token)
		}
	}
	return tokens
}

func requireAgreement(t *testing.T, p *page, tokens [][]float64, e *media) {
	t.Helper()
	want, wantStates := p.embed(tokens)
	embedding, states, _ := e.rowsOf()
	require.Len(t, states, len(tokens)*p.config.Width)
	for k, v := range want {
		require.InDelta(t, v, embedding[k], 1e-5, "column %d", k)
	}
	for i, row := range wantStates {
		for k, v := range row {
			require.InDelta(t, v, states[i*len(row)+k], 1e-4*(1+math.Abs(v)), "state %d", i)
		}
	}
}

// A picture that shrinks on one axis and grows on the other, and shows its background through.
func TestImagesAgreeWithThePage(t *testing.T) {
	w := newWorld(t)
	random := rand.New(rand.NewPCG(4, 4))
	source := image.NewNRGBA(image.Rect(0, 0, 41, 9))
	for y := range 9 {
		for x := range 41 {
			source.SetNRGBA(x, y, color.NRGBA{uint8(6 * x), uint8(random.Uint32()), uint8(28 * y), uint8(random.Uint32())})
		}
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, source))
	e := w.encodes(w.media(mediaVerbs(t)[0], w.load(seeing()), w.arena(), file.String()))
	p := newPage(t, seeing())
	requireAgreement(t, p, p.picture(source), e)
}

// The frames of a clip are pictures, each with its time.
func TestVideosAgreeWithThePage(t *testing.T) {
	w := newWorld(t)
	file := sample(t, "video", "mjpeg.mp4")
	frames, err := clip.Frames([]byte(file), 3, nil)
	require.NoError(t, err)
	p := newPage(t, seeing())
	var tokens [][]float64
	for j, frame := range frames {
		source := image.NewNRGBA(image.Rect(0, 0, frame.Width, frame.Height))
		for i := range frame.Width * frame.Height {
			copy(source.Pix[4*i:], append(frame.RGB[3*i:3*i+3:3*i+3], 255))
		}
		for _, token := range p.picture(source) {
			for k := range token {
				token[k] += p.tensors["video.times"][j*len(token)+k]
			}
			tokens = append(tokens, token)
		}
	}
	requireAgreement(t, p, tokens, w.encodes(w.media(mediaVerbs(t)[2], w.load(seeing()), w.arena(), file)))
}

func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > 1e-18*sum; k++ {
		term *= x / 2 / k * x / 2 / k
		sum += term
	}
	return sum
}

// resampled is step 3 of section 11.
func resampled(x []float64, from, to int) (out []float64) {
	ratio := float64(to) / float64(from) // L/M
	c := math.Min(1, ratio)
	h := math.Ceil(32 / c)
	w := func(t float64) float64 {
		y := math.Pi * c * 0.945 * t
		sinc := 1.0
		if y != 0 {
			sinc = math.Sin(y) / y
		}
		return c * 0.945 * sinc * bessel(12*math.Sqrt(1-t/h*t/h)) / bessel(12)
	}
	for j := 0; j*from < len(x)*to; j++ {
		at, value, sum := float64(j)*float64(from)/float64(to), 0.0, 0.0
		for i := int(math.Ceil(at - h)); float64(i) < at+h; i++ {
			if math.Abs(float64(i)-at) >= h {
				continue
			}
			weight := w(float64(i) - at)
			sum += weight
			if i >= 0 && i < len(x) {
				value += weight * x[i]
			}
		}
		out = append(out, value/sum)
	}
	return out
}

// recording returns the tokens of mono samples at the model's rate, section 11 from step 4.
func (p *page) recording(x []float64) (tokens [][]float64) {
	c := p.config.Audio
	mel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	point := func(i int) float64 {
		m := mel(c.Low) + (mel(c.High)-mel(c.Low))*float64(i)/float64(c.Mels+1)
		return 700 * (math.Pow(10, m/2595) - 1)
	}
	var values []float64
	for frame := 0; frame <= (len(x)-1)/c.Hop; frame++ {
		powers := make([]float64, c.Window/2+1)
		for m := range powers {
			var re, im float64
			for k := range c.Window {
				if at := frame*c.Hop - c.Window/2 + k; at >= 0 && at < len(x) {
					hann := 0.5 - 0.5*math.Cos(2*math.Pi*float64(k)/float64(c.Window))
					sin, cos := math.Sincos(2 * math.Pi * float64(k*m%c.Window) / float64(c.Window))
					re, im = re+x[at]*hann*cos, im-x[at]*hann*sin
				}
			}
			powers[m] = re*re + im*im
		}
		for b := range c.Mels {
			low, middle, high, sum := point(b), point(b+1), point(b+2), 0.0
			for m, power := range powers {
				f := float64(m) * float64(c.Rate) / float64(c.Window)
				sum += power * math.Max(0, math.Min((f-low)/(middle-low), (high-f)/(high-middle)))
			}
			values = append(values, (math.Log(1e-6+sum)-c.Mean)/c.Deviation)
		}
	}
	for len(values)%(c.Frames*c.Mels) != 0 {
		values = append(values, (math.Log(1e-6)-c.Mean)/c.Deviation)
	}
	for ; len(values) > 0; values = values[c.Frames*c.Mels:] {
		tokens = append(tokens, p.times("audio.patches", values[:c.Frames*c.Mels]))
	}
	return tokens
}

// A file of two channels at another rate.
func TestRecordingsAgreeWithThePage(t *testing.T) {
	w := newWorld(t)
	const rate, frames = 11025, 3000
	random := rand.New(rand.NewPCG(6, 6))
	var body []byte
	var mono []float64
	for i := range frames {
		left := int16(12000 * math.Sin(0.3*float64(i)))
		right := int16(random.IntN(8000) - 4000)
		body = binary.LittleEndian.AppendUint16(body, uint16(left))
		body = binary.LittleEndian.AppendUint16(body, uint16(right))
		mono = append(mono, (float64(left)+float64(right))/2/32768)
	}
	file := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"), 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 16, 0)
	binary.LittleEndian.PutUint32(file[24:], rate)
	binary.LittleEndian.PutUint32(file[28:], rate*4)
	file = append(file, "data"...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(body)))
	file = append(file, body...)
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	e := w.encodes(w.media(mediaVerbs(t)[3], w.load(seeing()), w.arena(), string(file)))
	p := newPage(t, seeing())
	requireAgreement(t, p, p.recording(resampled(mono, rate, 8000)), e)
}

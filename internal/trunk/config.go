package trunk

// Config is what the layers of a trunk have in common.
type Config struct {
	// Width is the number of scalars of a row, Heads divides it, Hidden is the inner width of the
	// feed-forward part.
	Width, Heads, Hidden int
	// Norm is the kind of all norms, Epsilon is added to their variance.
	Norm    NormKind
	Epsilon float64
	// NormAfter puts each norm after the residual sum, x = norm(x + f(x)), as BERT does. Otherwise
	// it stands before the part: x = x + f(norm(x)).
	NormAfter bool
	// Activation is applied to the inner rows of the feed-forward part; with Layer.Gate, to the
	// gate.
	Activation Activation
	// Causal lets a token attend to itself and to those before it only.
	Causal bool
	// RelativeBias, if not nil, is added to the scores: MPNet's 32 buckets of distances, a row of
	// Heads scalars for each.
	RelativeBias []float32
}

// NormKind is a kind of norm.
type NormKind int

const (
	// RMSNorm divides by the root of the mean square.
	RMSNorm NormKind = iota
	// LayerNorm subtracts the mean and divides by the standard deviation.
	LayerNorm
)

// Activation is the function of the feed-forward part.
type Activation int

const (
	// SiLU is x·sigmoid(x).
	SiLU Activation = iota
	// GELU is x·Φ(x), by the error function.
	GELU
	// GELUTanh is the approximation of GELU by tanh.
	GELUTanh
	// QuickGELU is x·sigmoid(1.702·x).
	QuickGELU
	// ReLU is max(x, 0).
	ReLU
)

// Layer is the weights of one layer. Each matrix has its own kind, each bias may be nil.
type Layer struct {
	// AttentionNorm and FeedforwardNorm without a Gain are the identity.
	AttentionNorm             Norm
	Query, Key, Value, Output Linear
	// AttentionScale and FeedforwardScale multiply what a part adds to the row; nil means 1.
	AttentionScale  []float32
	FeedforwardNorm Norm
	Up, Down        Linear
	// Gate, if it has a Weight, makes the part down(activation(gate(x)) ⊙ up(x)).
	Gate             Linear
	FeedforwardScale []float32

	// Probe, if not nil, is the one query of each text, and the layer pools a text to one row: the
	// attention of Probe is not added to a row of the text, but takes its place. Only the last
	// layer may have one, which has no Query.
	Probe []float32

	// RotaryBase, if not 0, rotates queries and keys: pairs (i, i+d/2) of a head of d scalars by
	// the angle position·base^(−2i/d).
	RotaryBase float64
	// Window, if not 0, lets a token attend to those at most so many positions away.
	Window int
}

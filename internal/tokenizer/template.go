package tokenizer

// template is what stands around the tokens of a text.
type template struct{ before, after []int32 }

// around puts this template around another.
func (t template) around(inner template) template {
	return template{append(append([]int32{}, t.before...), inner.before...), append(append([]int32{}, inner.after...), t.after...)}
}

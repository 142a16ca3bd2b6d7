// Package judge evaluates a text model through the public interface: the development split of the
// STS benchmark, the cost of typing errors and letter case, the neighbours of words, other
// languages against plain character n-grams, and speed.
package judge

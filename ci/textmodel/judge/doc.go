// Package judge measures a text model through the public interface: the development split of the STS benchmark, what typing
// errors and letter case cost, the neighbours of words, other languages against plain character n-grams, and speed.
package judge

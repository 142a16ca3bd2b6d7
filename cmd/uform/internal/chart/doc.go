// Package chart draws a collection of vectors: each item is a point, near ones are near, and groups
// have colours and the words that are typical for them.
//
// Places come from [Places]: t-SNE with the Barnes-Hut approximation (van der Maaten 2014), begun
// from the two principal components, which are an answer of their own. Groups come from k-means on
// the vectors themselves, not on the picture. All of it is deterministic.
package chart

// Package corpus gathers the sentences and the pairs that the text model learns from: lists that the caller has, WordNet,
// and the package descriptions of Debian in English and in other languages.
//
// Everything is read from files in folders that fetch.sh fills; nothing is downloaded here, and nothing is committed.
package corpus

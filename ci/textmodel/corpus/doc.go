// Package corpus gathers the sentences and the pairs that the text model is trained on: lists of
// the caller, WordNet, and the package descriptions of Debian in English and in other languages.
//
// Everything is read from files in folders that fetch.sh fills; nothing is downloaded here, and
// nothing is committed.
package corpus

// Package folder makes models of folders in Hugging Face's layout.
//
// [Open] reads a folder as it is downloaded: config.json says which architecture it is, model
// weights are in safetensors, and the files of sentence-transformers say what happens before and
// after the layers: prompts, the longest text, pooling, projections, length. The result is what the
// reference implementation gives for the same text, to 1e-5 in f32.
//
// A folder that asks for what this package lacks is [errors.ErrUnsupported], and the error names
// the file and what it asks for. A folder with wrong or missing parts is [errors.ErrMalformed].
// Nothing that would change a vector is passed over in silence.
//
// An architecture is a few lines (bert.go, nomic.go, modernbert.go, clip.go, uform.go): where its
// configuration names sizes, what its tensors are called, and a [trunk.Config]. Package trunk runs
// the layers of all of them. Static embeddings (static.go) have no layers.
//
// A text takes two steps: [Model.Tokenize] makes ids, and [Model.Encode] takes the ids of many
// texts through input rows, layers, pooling (pooling.go) and what follows it (steps.go). Both work
// in a [Scratch], one for each goroutine.
package folder

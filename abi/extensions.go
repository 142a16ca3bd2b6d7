package abi

import "io/fs"

// Extensions are the facilities of a table that the C header has no entry point for. The embedded
// engine fills them; a shared library has only the callback.
type Extensions struct {
	// ProgressCallback is what goes into the Progress field of an argument struct so that reports
	// reach [ReportProgress] with the struct's ProgressState. It is the address of a C function for
	// a shared library and an opaque token for the engine, which refuses every other value.
	ProgressCallback Progress

	// OnFinal calls notify as soon as the call that left outcome in [StatusDeferred] is final,
	// which may be at once. notify may run on any goroutine and must not block. It does not run a
	// call that its executor only holds. Where OnFinal is nil, callers poll the status.
	OnFinal func(outcome *Outcome, notify func())

	// ModelLoadBytes is ModelLoad from memory: Path is ignored, and checkpoint is read in place,
	// unchanged, until the model is freed. Where it is nil, the bytes have to be written to a file
	// first.
	ModelLoadBytes func(arguments *ModelLoad, checkpoint []byte)

	// ModelLoadFS is ModelLoad of a folder of somebody else's model, in Hugging Face's layout: Path
	// is ignored, and files, which has the folder, is not used after the call has returned. A
	// library that has it also loads such a folder where ModelLoad's Path names one. Where it is
	// nil, the library loads no folders.
	ModelLoadFS func(arguments *ModelLoad, files fs.FS, folder string)

	// ModelDetails returns what a [ModelDescription] has no field for, or false for a handle that
	// is not a model's. Where it is nil, every model has [CheckpointDetails].
	ModelDetails func(model Model) (details ModelDetails, found bool)

	// ModelShareLane sets the lexical lane's part of the squared length of embeddings, for a model
	// that no call has named yet. Where it is nil, the part is the checkpoint's.
	ModelShareLane func(arguments *ModelShareLane)

	// TextEncodeWith is TextEncode with an extension of its arguments, which must stay where it is,
	// alive and untouched, as long as they must.
	TextEncodeWith func(arguments *TextEncode, extension *TextExtension)

	// TextMeasure counts the tokens of one text, on the calling goroutine.
	TextMeasure func(arguments *TextMeasure)

	// TrainerInitBytes is TrainerInit from memory: Path is ignored, and checkpoint is not used
	// after the call has returned. Where it is nil, the bytes have to be written to a file first.
	TrainerInitBytes func(arguments *TrainerInit, checkpoint []byte)
}

// ModelDetails are how a model makes tokens, and of what kind it is. The slice is shared and must
// not be changed.
type ModelDetails struct {
	// Architecture is "uform" for UForm's own checkpoints, and for a folder the model_type of its
	// config.json.
	Architecture string
	// Tokenizer is [TokenizerBytes] where a token is a byte; else the kind, such as "WordPiece".
	Tokenizer string
	// Prompts are the names of the model's prompts, sorted. DefaultPrompt is that of the one which
	// a call gets that asks for none by name, empty for no prompt.
	Prompts       []string
	DefaultPrompt string
}

// ModelShareLane is the arguments of [Extensions.ModelShareLane].
type ModelShareLane struct {
	Model   Model
	Outcome *Outcome
	// Share is above 0 and below 1.
	Share float64
}

// TokenizerBytes is the tokenizer of UForm's own checkpoints: a token is a byte.
const TokenizerBytes = "bytes"

// CheckpointDetails are the details of UForm's own checkpoints.
func CheckpointDetails() ModelDetails {
	return ModelDetails{Architecture: "uform", Tokenizer: TokenizerBytes}
}

// TextPrompt chooses the prompt before each text of a call.
type TextPrompt struct {
	// Prompt names it; empty is the model's default.
	Prompt string
	// NoPrompt leaves the default out. It excludes Prompt.
	NoPrompt bool
}

// TextExtension is what text_encode takes and reports beyond its argument struct.
type TextExtension struct {
	TextPrompt
	// Whole refuses a text that has more tokens than the context.
	Whole bool
	// Cut is an output of a call that succeeds: the texts that were cut, appended in order.
	Cut []TextCut
}

// TextCut is a text whose tail was lost: its index, and how many of its bytes that is.
type TextCut struct{ Item, Bytes int }

// TextMeasure is the arguments of [Extensions.TextMeasure]. Only the last two fields are outputs.
type TextMeasure struct {
	Model   Model
	Outcome *Outcome
	TextPrompt
	Text []byte
	// Tokens is how many tokens the text has with the prompt, at most the model's context, and
	// Covered how many bytes of the text they stand for.
	Tokens, Covered int
}

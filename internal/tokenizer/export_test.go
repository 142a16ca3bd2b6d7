package tokenizer

// IDs are the tokens of a tokenizer by their spelling.
func IDs(t *Tokenizer) map[string]int32 { return t.ids }

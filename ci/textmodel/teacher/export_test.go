package teacher

// Cut returns the pieces of a text by the vocabulary in a file.
func Cut(path, text string) ([]int32, error) {
	v, err := readVocabulary(path)
	if err != nil {
		return nil, err
	}
	return v.cut(text), nil
}

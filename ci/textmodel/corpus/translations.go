package corpus

import "hash/fnv"

// Languages are the languages read besides English, by Debian's names.
var Languages = []string{"it", "da", "fr", "de", "sk", "pt%5fBR", "ja", "ko", "uk", "pl", "ru", "cs", "es", "pt"}

// Translation is a package's line in English and in another language.
type Translation struct {
	Language string
	Pair     // English first
	// Long are the first sentences, empty unless both have a usual length.
	Long Pair
}

// Translations returns the package descriptions of all languages. About a fiftieth, the same
// packages in every language, are held out for evaluation; the others are for training.
func (f Folders) Translations() (learned, held []Translation, err error) {
	english, err := ReadDescriptions(f.Descriptions(), "en")
	if err != nil {
		return nil, nil, err
	}
	for _, language := range Languages {
		other, err := ReadDescriptions(f.Descriptions(), language)
		if err != nil {
			return nil, nil, err
		}
		seen := map[string]bool{}
		for _, name := range sortedKeys(other) {
			there, here := other[name], english[name]
			if here.Short == "" || there.Short == here.Short || seen[here.Short] || seen[there.Short] {
				continue
			}
			seen[here.Short], seen[there.Short] = true, true
			translation := Translation{language, Pair{here.Short, there.Short}, Pair{here.Long, there.Long}}
			if isHeld(here.Short) {
				held = append(held, translation)
			} else {
				learned = append(learned, translation)
			}
		}
	}
	return learned, held, nil
}

func isHeld(english string) bool {
	h := fnv.New32a()
	h.Write([]byte(english))
	return h.Sum32()%50 == 0
}

package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/errors"
	"github.com/unum-cloud/uform-go/internal/model"
)

// FuzzConfig reads any text as a configuration: it is refused with a status, or unchanged after it
// is written and read again.
func FuzzConfig(f *testing.F) {
	f.Add(`{}`)
	f.Add(`{"format": "uform", "version": 2}`)
	f.Add(`{"format":"uform","version":1,"modalities":["text"],"context":8,"width":4,"layers":0,"heads":0,"hidden":0,"columns":3}`)
	f.Add(`{"format":"uform","version":1,"modalities":["text","image"],"context":64,"width":4,"layers":1,"heads":1,"hidden":3,"columns":3,
		"skip":true,"grams":{"sizes":[1,2],"hashes":2,"buckets":9,"words":true,"fold":true,"within":true},
		"lexical":{"sizes":[3],"buckets":5,"columns":64,"share":0.5},"image":{"side":32,"patch":8},
		"decoder":{"question_types":[{"name":"a","inverse_temperature":1.5}]}}`)
	f.Add(`{"format":"uform","version":1,"modalities":["text","audio"],"context":8,"width":4,"layers":0,"heads":0,"hidden":0,"columns":3,
		"audio":{"rate":16000,"window":400,"hop":160,"mels":40,"low":0,"high":8000,"frames":4,"mean":0,"deviation":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		config, err := model.ParseConfig(text)
		if err != nil {
			status, known := errors.StatusOf(err)
			require.True(t, known)
			require.Contains(t, []errors.Status{errors.ErrMalformed, errors.ErrUnsupported}, status)
			return
		}
		metadata, err := config.Metadata()
		require.NoError(t, err, "what a reader takes a writer can write")
		again, err := model.ParseConfig(metadata["uform"])
		require.NoError(t, err)
		require.Equal(t, config, again)
	})
}

package uform_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/unum-cloud/uform-go/uform"
)

// Texts at fault are reported with place and cause, and the others get the vectors that they have
// without them, to the bit.
func TestSkippingTextsAtFault(t *testing.T) {
	everyLibrary(t, func(t *testing.T, f fixture) {
		limit := contextOf(t, f.model)
		long := strings.Repeat("long ", limit)
		type fault struct {
			item   int
			status uform.Status
			cause  string
		}
		cases := map[string]struct {
			texts  []string
			whole  bool
			faults []fault
		}{
			"none at fault": {[]string{"a cat", "a dog"}, false, nil},
			"no texts":      {nil, false, nil},
			"not UTF-8": {[]string{"a\xffcat", "a dog", "", "\xc3"}, false, []fault{
				{0, uform.ErrMalformed, "the text is not UTF-8 at its byte 1"},
				{3, uform.ErrMalformed, "the text is not UTF-8 at its byte 0"},
			}},
			"all at fault": {[]string{"\xff"}, false, []fault{{0, uform.ErrMalformed, "the text is not UTF-8 at its byte 0"}}},
			"beside a text of windows": {[]string{"\xff" + long, long, "a dog"}, false, []fault{
				{0, uform.ErrMalformed, "the text is not UTF-8 at its byte 0"},
			}},
			"too long, where texts must be whole": {[]string{"a cat", long, "a\xff", "a dog", long + "b"}, true, []fault{
				{1, uform.ErrInvalidArgument, "split it, or unset Whole"},
				{2, uform.ErrMalformed, "the text is not UTF-8 at its byte 1"},
				{4, uform.ErrInvalidArgument, "split it, or unset Whole"},
			}},
		}
		for way, embed := range embedders(t, f) {
			for name, c := range cases {
				t.Run(way+"/"+name, func(t *testing.T) {
					var faults []*uform.Error
					skipping := &uform.EmbedOptions{Whole: c.whole, Skip: func(f *uform.Error) { faults = append(faults, f) }}
					got, err := embed(background, c.texts, skipping)
					require.NoError(t, err)
					require.Len(t, got, len(c.texts))
					require.Len(t, faults, len(c.faults))
					for i, want := range c.faults {
						require.Equal(t, want.item, faults[i].Item)
						require.ErrorIs(t, faults[i], want.status)
						require.ErrorContains(t, faults[i], want.cause)
						require.Nil(t, got[want.item])
					}
					good := 0
					for i, vector := range got {
						if vector != nil {
							good++
							require.Equal(t, vectors(t, f.model, c.texts[i])[0], vector, i)
						}
					}
					require.Equal(t, len(c.texts)-len(c.faults), good)
				})
			}
		}
	})
}

// What is the fault of no text fails the call, and nothing is reported as skipped.
func TestSkippingDoesNotHideFailures(t *testing.T) {
	f := newFixture(t, nil)
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(background)
	cancel(reason)
	for _, whole := range []bool{false, true} {
		_, err := f.model.EmbedWith(ctx, []string{"a cat", "\xff"}, &uform.EmbedOptions{
			Whole: whole, Skip: func(*uform.Error) { require.Fail(t, "a text was skipped") },
		})
		require.ErrorIs(t, err, uform.ErrCancelled)
		require.ErrorIs(t, err, reason)
	}
}

package platform_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/unum-cloud/uform-go/platform"
)

// A nap may take longer, never less: a signal that ends the system's sleep does not end the nap.
func TestNapLastsAtLeast(t *testing.T) {
	for _, d := range []time.Duration{-time.Second, 0, time.Nanosecond, 100 * time.Microsecond, 999 * time.Microsecond, time.Millisecond} {
		start := time.Now()
		platform.Nap(d)
		require.GreaterOrEqual(t, time.Since(start), d)
	}
}

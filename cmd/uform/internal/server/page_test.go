package server_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page needs nothing from elsewhere, and its policy allows its script and style alone.
func TestThePageIsSelfContained(t *testing.T) {
	got := serve(t, nil).get(t, "/")
	require.Equal(t, 200, got.status)
	require.Equal(t, "text/html; charset=utf-8", got.header.Get("Content-Type"))
	policy := got.header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	for _, tag := range []string{"script", "style"} {
		found := regexp.MustCompile(`(?s)<`+tag+`[^>]*>(.*?)</`+tag+`>`).FindAllStringSubmatch(got.body, -1)
		require.Len(t, found, 1, tag)
		hash := sha256.Sum256([]byte(found[0][1]))
		require.Contains(t, policy, tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
	}
	require.NotRegexp(t, `https?://|\son[a-z]+=|style=|@import|url\(`, got.body)
}

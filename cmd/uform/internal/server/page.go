package server

import (
	"crypto/sha256"
	_ "embed" // the page below
	"encoding/base64"
	"net/http"
	"strings"
)

//go:embed page.html
var pageText string

// page is the page at /, which needs nothing from elsewhere: its policy lets a browser run no
// script and apply no style but its own, and send requests to this server alone.
type page struct{ policy string }

func newPage() page {
	return page{policy: "default-src 'none'; script-src " + hashOf("script") + "; style-src " + hashOf("style") +
		"; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
}

// hashOf is the source expression that allows the element of the page with this tag.
func hashOf(tag string) string {
	_, after, _ := strings.Cut(pageText, "<"+tag+">")
	content, _, _ := strings.Cut(after, "</"+tag+">")
	hash := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
}

func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", p.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	_, _ = w.Write([]byte(pageText))
}

package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard decides who is let in.
type guard struct {
	keys      [][sha256.Size]byte
	localHost bool
	pages     *http.CrossOriginProtection
}

func newGuard(options *Options) guard {
	g := guard{localHost: options.LocalHost, pages: http.NewCrossOriginProtection()}
	for _, key := range options.Keys {
		g.keys = append(g.keys, sha256.Sum256([]byte(key)))
	}
	return g
}

// origin refuses what a page of another site sends: a browser says so, and where the server is for
// this machine alone, such a page may have made its own name one of this machine.
func (g *guard) origin(r *http.Request) *refusal {
	if err := g.pages.Check(r); err != nil {
		return refuse(forbidden, "", "pages of other sites are not served")
	}
	if !g.localHost {
		return nil
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || strings.EqualFold(host, "localhost") {
		return nil
	}
	return refuse(forbidden, "", "the host %q is not this machine: ask for localhost, or serve with a key", r.Host)
}

// key refuses a request without a key, where there are any. All keys are compared, each in constant
// time, by their hashes, so that neither their number nor their lengths can be measured.
func (g *guard) key(r *http.Request) *refusal {
	if len(g.keys) == 0 {
		return nil
	}
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return refuse(unauthorized, "", "a key is missing: send the header Authorization: Bearer KEY")
	}
	hash, same := sha256.Sum256([]byte(strings.TrimSpace(sent))), 0
	for i := range g.keys {
		same |= subtle.ConstantTimeCompare(hash[:], g.keys[i][:])
	}
	if same == 0 {
		return refuse(unauthorized, "", "the key is wrong")
	}
	return nil
}

// keyed is a handler that needs a key.
func (g *guard) keyed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refused := g.key(r); refused != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, refused.message, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

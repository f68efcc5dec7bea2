package clickhouse

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
)

// identity is whom a request comes from.
type identity int

const (
	owner  identity = iota // the product's own components: reads and writes
	people                 // anyone on this machine: reads the product's database
)

// identify checks the credentials of a request: the headers X-ClickHouse-User
// and X-ClickHouse-Key, else basic authentication, else the parameters user
// and password. No user, or "default", without a password is people.
func identify(r *http.Request, parameters url.Values, ownerPassword string) (identity, error) {
	user, password := parameters.Get("user"), parameters.Get("password")
	if name, secret, ok := r.BasicAuth(); ok {
		user, password = name, secret
	}
	if r.Header.Get("X-ClickHouse-User") != "" || r.Header.Get("X-ClickHouse-Key") != "" {
		user, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	}
	switch user {
	case "", peopleName:
		if password == "" {
			return people, nil
		}
	case ownerName:
		// Equal digests take the same time whatever the password, its length
		// included.
		given, wanted := sha256.Sum256([]byte(password)), sha256.Sum256([]byte(ownerPassword))
		if subtle.ConstantTimeCompare(given[:], wanted[:]) == 1 {
			return owner, nil
		}
	}
	if len(user) > 64 {
		user = user[:64]
	}
	return people, newException(codeAuthentication, "%s: Authentication failed: password is incorrect, or there is no user with such name", user)
}

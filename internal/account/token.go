package account

import (
	"crypto/rand"
	"math/big"
	"strings"
)

// tokenLen is the length of a token in characters: 256 random bits in base 62, padded with
// zeros.
const tokenLen = 43

// newToken makes the secret of a link, a session or a pending sign-in. It has the alphabet of a
// key but is much shorter, so a token is never mistaken for a key.
func newToken() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: if the system has no randomness, it ends the program
	return base62(new(big.Int).SetBytes(secret[:]), tokenLen)
}

// isToken reports whether presented has the form of a token. Other values are refused without a
// query.
func isToken(presented string) bool {
	return len(presented) == tokenLen && !strings.ContainsFunc(presented, func(r rune) bool {
		return !isAlphanumeric(r)
	})
}

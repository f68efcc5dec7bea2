package account

import (
	"crypto/rand"
	"math/big"
	"strings"
)

// tokenLen is the length of a token: 256 random bits in base 62, padded with
// zeros.
const tokenLen = 43

// newToken makes the secret of a link, a session or a sign-in under way. It
// reads like the middle of a key but is much shorter, so neither is ever taken
// for the other.
func newToken() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: without randomness it ends the program
	return base62(new(big.Int).SetBytes(secret[:]), tokenLen)
}

// isToken reports whether presented has the form of a token. Whatever else
// arrives need not reach the database.
func isToken(presented string) bool {
	return len(presented) == tokenLen && strings.IndexFunc(presented, func(r rune) bool {
		return r > '~' || !isAlphanumeric(byte(r))
	}) < 0
}

// Package seal encrypts texts that the account store keeps for longer than a request, such as mails with links and the
// secrets of webhooks.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
)

// Sealer encrypts with one key. The key is in no field, so printing a Sealer can't reveal it.
type Sealer struct {
	seal func(plain, owner []byte) []byte
	open func(sealed, owner []byte) ([]byte, error)
}

// New makes a sealer with a key of 16, 24 or 32 bytes.
func New(key []byte) (Sealer, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return Sealer{}, fmt.Errorf("seal: %w", err)
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return Sealer{}, fmt.Errorf("seal: %w", err)
	}
	return Sealer{
		seal: func(plain, owner []byte) []byte { return gcm.Seal(nil, nil, plain, owner) },
		open: func(sealed, owner []byte) ([]byte, error) { return gcm.Open(nil, nil, sealed, owner) },
	}, nil
}

// Seal encrypts a text. owner names the row that holds it: the text can't be opened in another row.
func (s Sealer) Seal(owner string, plain []byte) string {
	return base64.StdEncoding.EncodeToString(s.seal(plain, []byte(owner)))
}

// ErrSealed is the error of everything that can't be opened. It contains nothing of the text.
var ErrSealed = errors.New("the sealed text is damaged, of another owner, or was sealed with another key")

// Open decrypts what Seal gave for the same owner.
func (s Sealer) Open(owner, sealed string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, ErrSealed
	}
	plain, err := s.open(raw, []byte(owner))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

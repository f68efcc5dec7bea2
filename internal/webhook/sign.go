package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// A secret is secretPrefix with secretLen random bytes in base64. Standard Webhooks has 24 to 64 bytes.
const (
	secretPrefix = "whsec_"
	secretLen    = 32
)

func newSecret() string {
	var key [secretLen]byte
	_, _ = rand.Read(key[:]) // never fails: without randomness it ends the program
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// signatures returns the header webhook-signature: one signature for each secret, of the id, the moment and the body.
func signatures(secrets []string, id string, at time.Time, body []byte) (string, error) {
	var list []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", errors.New("a secret of a webhook is not base64") // err would contain a part of it
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		list = append(list, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(list, " "), nil
}

package account

import (
	"math/big"
	"strings"
	"testing"
)

func TestAKeyIsPrefixSecretAndChecksum(t *testing.T) {
	seen := map[string]bool{}
	for range 2000 {
		plaintext := newPlaintext()
		if len(plaintext) != 55 || !strings.HasPrefix(plaintext, "cuota_") {
			t.Fatal("a key is cuota_ and 49 characters")
		}
		if !WellFormed(plaintext) {
			t.Fatal("a new key is not well formed")
		}
		if seen[plaintext] {
			t.Fatal("a key came twice")
		}
		seen[plaintext] = true
		secret, ok := new(big.Int).SetString(plaintext[6:49], 62)
		if !ok || secret.BitLen() > 256 {
			t.Fatal("the secret is not 256 bits in base 62")
		}
	}
}

// zerosChecksum is the checksum of the key whose secret is zero, computed with
// Python's zlib.crc32: 0xd8f6ff47, in base 62.
const zerosChecksum = "3YllpJ"

func TestTheChecksumIsCRC32InBase62(t *testing.T) {
	zeros := "cuota_" + strings.Repeat("0", 43)
	if got := checksum(zeros); got != zerosChecksum {
		t.Errorf("checksum %q, want %q", got, zerosChecksum)
	}
	if !WellFormed(zeros + zerosChecksum) {
		t.Error("not well formed")
	}
}

func TestEveryMistypedCharacterIsNoticed(t *testing.T) {
	plaintext := newPlaintext()
	for i := range len(plaintext) {
		for _, c := range []byte("0aZ_ \x00\xff") {
			wrong := plaintext[:i] + string([]byte{c}) + plaintext[i+1:]
			if wrong != plaintext && WellFormed(wrong) {
				t.Errorf("character %d replaced by %q is accepted", i, c)
			}
		}
	}
	for _, wrong := range []string{plaintext[1:], plaintext + "0", " " + plaintext,
		strings.ToUpper(plaintext[:5]) + plaintext[5:]} {
		if WellFormed(wrong) {
			t.Error("another length, a space or another prefix is accepted")
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add("")
	f.Add("cuota_")
	f.Add("cuota_" + strings.Repeat("0", 43) + zerosChecksum)
	f.Add("cuota_" + strings.Repeat("é", 24) + "z")
	f.Fuzz(func(t *testing.T, presented string) {
		if !WellFormed(presented) {
			return
		}
		// An accepted key is exactly the one that is written for its secret.
		secret, ok := new(big.Int).SetString(presented[6:49], 62)
		if !ok {
			t.Fatalf("%q is accepted and is no number", presented)
		}
		body := "cuota_" + base62(secret, 43)
		if presented != body+checksum(body) {
			t.Fatalf("%q is accepted beside %q", presented, body+checksum(body))
		}
	})
}

package seal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"cuota/internal/seal"
)

func TestASealedTextOpensForItsOwnerAndKeyAlone(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	mine, err := seal.New(key)
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.New(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	sealed := mine.Seal("row 1", []byte("a secret"))
	if got, err := mine.Open("row 1", sealed); err != nil || string(got) != "a secret" {
		t.Errorf("%q, %v", got, err)
	}
	if again := mine.Seal("row 1", []byte("a secret")); again == sealed {
		t.Error("a text that is sealed twice looks the same")
	}
	middle := len(sealed) / 2
	spoilt := strings.Map(func(r rune) rune { return r ^ 1 }, sealed[middle:middle+1])
	changed := sealed[:middle] + spoilt + sealed[middle+1:]
	for what, open := range map[string]func() ([]byte, error){
		"another owner":  func() ([]byte, error) { return mine.Open("row 2", sealed) },
		"another key":    func() ([]byte, error) { return other.Open("row 1", sealed) },
		"a changed text": func() ([]byte, error) { return mine.Open("row 1", changed) },
		"a cut text":     func() ([]byte, error) { return mine.Open("row 1", sealed[:8]) },
		"nothing":        func() ([]byte, error) { return mine.Open("row 1", "") },
		"no base64":      func() ([]byte, error) { return mine.Open("row 1", "ñ") },
	} {
		if got, err := open(); err == nil {
			t.Errorf("%s opens: %q", what, got)
		}
	}
	if printed := fmt.Sprintf("%v %+v %#v", mine, mine, mine); strings.Contains(printed, fmt.Sprint(key)[1:20]) {
		t.Errorf("the key is printed: %s", printed)
	}
	if _, err := seal.New(key[:31]); err == nil {
		t.Error("a key of 31 bytes is taken")
	}
}

package door

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/rs/zerolog"
)

func TestNoSecretIsLogged(t *testing.T) {
	var text bytes.Buffer
	log := zerolog.New(zerolog.SyncWriter(&text))
	d := &doors{httpDoor: NewHTTP("127.0.0.1:1", Account{}, log),
		nativeDoor: NewNative("127.0.0.1:1", nil, Account{}, log)}
	d.open(t)
	exchange(t, d.http, "GET /?user=owner&password=secret1&query=secret2 HTTP/1.0\nHost: "+
		"localhost\nX-ClickHouse-Key: secret3\n\n")
	exchange(t, d.http, "GET /?query=secret4 HTTP/1.0\nHost: localhost\nCookie: secret5\n\n")
	say(t, d.native, greeting(func(h *proto.ClientHello) { h.User, h.Password = "owner", "secret6" })).code(t)
	say(t, d.native, greeting(nil)).code(t)
	d.close(t)
	got := text.String()
	if !strings.Contains(got, "connection refused") || !strings.Contains(got, "516") {
		t.Errorf("the reasons are not logged: %s", got)
	}
	if strings.Contains(got, "secret") {
		t.Errorf("a secret is logged: %s", got)
	}
}

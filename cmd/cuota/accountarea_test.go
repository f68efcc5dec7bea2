package main

import (
	"errors"
	"net"
	"testing"

	"cuota/cmd/cuota/environment"
	"cuota/internal/account/area"
	"cuota/internal/mail"

	"github.com/rs/zerolog"
)

func TestWithoutABaseAddressOnlyThisMachineHasAnAccountArea(t *testing.T) {
	for listener, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "127.0.0.2:80": "http://127.0.0.2:80",
		"[::1]:8080":   "http://[::1]:8080",
		"0.0.0.0:8080": "", "[::]:8080": "", "192.0.2.7:8080": "", "[2001:db8::1]:8080": "",
	} {
		at, err := net.ResolveTCPAddr("tcp", listener)
		if err != nil {
			t.Fatal(err)
		}
		base := baseOnThisMachine(at)
		if base != want {
			t.Errorf("%s gives %q, want %q", listener, base, want)
		}
		if _, err := area.New(area.Config{BaseURL: base}, nil, nil, nil, nil, zerolog.Nop()); errors.Is(err,
			area.ErrBaseURL) != (want == "") {
			t.Errorf("an area under %q: %v", base, err)
		}
	}
}

func TestLinksAreWrittenToFilesAndTheLogOnlyForThisMachine(t *testing.T) {
	for base, written := range map[string]bool{
		"http://127.0.0.1:8080": true, "http://localhost:8080": true, "http://[::1]:8080": true,
		"https://localhost":         true,
		"https://funds.example.org": false, "https://192.0.2.7": false, "": false,
		"http://localhost.example.org": false,
	} {
		carrier, err := newCarrier(environment.Settings{MailFrom: environment.NoSender}, base, t.TempDir(),
			zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		if _, folder := carrier.(*mail.Folder); folder != written || !folder && carrier != nil {
			t.Errorf("under %q mails go to %T", base, carrier)
		}
		relay, err := newCarrier(environment.Settings{MailFrom: "cuota@example.org", SMTP: "smtp://mail.example.org"},
			base, t.TempDir(), zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		if _, sent := relay.(*mail.SMTP); !sent {
			t.Errorf("under %q with a relay mails go to %T", base, relay)
		}
	}
}

package mail_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/mail"
	"cuota/internal/mail/mailtest"
	"cuota/internal/testkit/waittest"

	"github.com/emersion/go-smtp"
	"github.com/rs/zerolog"
)

const sender = "Fondos <cuota@example.org>"

func overSMTP(t testing.TB, relay *mailtest.Relay) *mail.SMTP {
	t.Helper()
	carrier, err := mail.NewSMTP(relay.URL(), sender, relay.Roots)
	must(t, err)
	return carrier
}

// reply is a relay's response with a code.
func reply(code int, enhanced smtp.EnhancedCode) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced,
		Message: "about ana@example.cl and http://127.0.0.1/x?token=s3cret"}
}

func TestAMailArrivesAtTheRelayAsItWasWritten(t *testing.T) {
	relay := mailtest.Start(t, mailtest.Script{})
	m := message("alert-1")
	must(t, overSMTP(t, relay).Carry(t.Context(), m))
	got := relay.Next(t)
	for name, pair := range map[string][2]string{
		"envelope from":  {got.From, "cuota@example.org"},
		"envelope to":    {got.To, m.To},
		"signed in":      {got.User, mailtest.User},
		"from":           {got.Header.Get("From"), `"Fondos" <cuota@example.org>`},
		"to":             {got.Header.Get("To"), "<ana@example.cl>"},
		"subject":        {got.Subject, m.Subject},
		"text":           {strings.TrimSpace(got.Text), strings.TrimSpace(m.Text)},
		"html":           {strings.TrimSpace(got.HTML), strings.TrimSpace(m.HTML)},
		"message id":     {got.Header.Get("Message-ID"), "<alert-1@example.org>"},
		"unsubscribe":    {got.Header.Get("List-Unsubscribe"), "<" + m.Unsubscribe + ">"},
		"one click":      {got.Header.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click"},
		"auto-submitted": {got.Header.Get("Auto-Submitted"), "auto-generated"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
		}
	}
	if !got.TLS {
		t.Error("it did not come over TLS")
	}
	if at, err := got.Header.Date(); err != nil || at.IsZero() {
		t.Errorf("date %v: %v", at, err)
	}
	m.Unsubscribe = ""
	must(t, overSMTP(t, relay).Carry(t.Context(), m))
	if got := relay.Next(t); got.Header.Get("List-Unsubscribe")+got.Header.Get("List-Unsubscribe-Post") != "" {
		t.Errorf("a mail of no list can be unsubscribed from: %v", got.Header)
	}
}

func TestARelayThatProvesNothingGetsNothing(t *testing.T) {
	for name, one := range map[string]struct {
		script   mailtest.Script
		stranger bool // signed by an authority that the program does not trust
	}{
		"no STARTTLS": {script: mailtest.Script{WithoutTLS: true, Auth: func(string, string) error {
			return nil
		}}},
		"a certificate of a stranger":   {stranger: true},
		"a certificate of another name": {script: mailtest.Script{Name: "relay.example.org"}},
		"another password": {script: mailtest.Script{Auth: func(_, password string) error {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "not " + password}
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			relay := mailtest.Start(t, one.script)
			roots := relay.Roots
			if one.stranger {
				roots = mailtest.Start(t, mailtest.Script{}).Roots
			}
			carrier, err := mail.NewSMTP(relay.URL(), sender, roots)
			must(t, err)
			err = carrier.Carry(t.Context(), message("m"))
			var refusal *mail.Refusal
			if err == nil || errors.As(err, &refusal) {
				t.Errorf("%v, want an error that does not give the mail up", err)
			}
			if err != nil && strings.Contains(err.Error(), mailtest.Password) {
				t.Errorf("the password is in the error: %v", err)
			}
			if arrived := relay.Waiting(); len(arrived) > 0 {
				t.Errorf("%d mails arrived", len(arrived))
			}
		})
	}
}

// The relay's response decides whether a mail is tried again. What the response repeats of the
// mail is neither logged nor stored.
func TestARefusalForGoodIsReportedAndNotTriedAgain(t *testing.T) {
	for name, one := range map[string]struct {
		script  mailtest.Script
		again   bool
		failure string
	}{
		"unknown recipient": {mailtest.Script{Rcpt: func(string) error {
			return reply(550, smtp.EnhancedCode{5, 1, 1})
		}}, false, "RCPT TO command: the relay answered 550 5.1.1"},
		"recipient over quota": {mailtest.Script{Rcpt: func(string) error {
			return reply(452, smtp.EnhancedCode{4, 2, 2})
		}}, true, ""},
		"content not wanted": {mailtest.Script{Data: func(net.Conn, mailtest.Letter) error {
			return reply(554, smtp.EnhancedCode{5, 7, 1})
		}}, false, "the relay answered 554 5.7.1"},
		"relay is full": {mailtest.Script{Data: func(net.Conn, mailtest.Letter) error {
			return reply(451, smtp.EnhancedCode{4, 3, 0})
		}}, true, ""},
		"relay goes away": {mailtest.Script{Mail: func(string) error {
			return reply(421, smtp.EnhancedCode{4, 3, 2})
		}}, true, ""},
		"our address not wanted": {mailtest.Script{Mail: func(string) error {
			return reply(553, smtp.EnhancedCode{5, 1, 8})
		}}, true, ""},
		"our password not wanted": {mailtest.Script{Auth: func(string, string) error {
			return reply(535, smtp.EnhancedCode{5, 7, 8})
		}}, true, ""},
		"the connection is cut": {mailtest.Script{Data: func(client net.Conn, _ mailtest.Letter) error {
			_ = client.Close()
			return errors.New("cut")
		}}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, r *rig) {
				relay := mailtest.Start(t, one.script)
				logged := &lockedLog{}
				s := mail.NewSender(r.outbox, overSMTP(t, relay), zerolog.New(logged))
				must(t, s.Start())
				t.Cleanup(func() { must(t, s.Stop(context.Background())) })
				r.enqueue(t, message("m"))
				waittest.Until(t, "the log tells of it", func() bool {
					return strings.Contains(logged.String(), `"mail":"m"`)
				})
				for _, secret := range []string{"ana@example.cl", "s3cret", mailtest.Password} {
					if strings.Contains(logged.String(), secret) {
						t.Errorf("%q is in the log: %s", secret, logged)
					}
				}
				failure := func() (text string) {
					must(t, r.raw.QueryRowContext(t.Context(), "SELECT COALESCE(failure, '') FROM outbox").Scan(&text))
					return text
				}
				if one.again {
					r.untilDue(t, 1, noon.Add(30*time.Second))
					// The relay is repaired, and the process is another one.
					relay.Behave(mailtest.Script{})
					must(t, s.Stop(t.Context()))
					r.setClock(noon.Add(30 * time.Second))
					r.send(t, overSMTP(t, relay))
					relay.Next(t)
					waittest.Until(t, "it is erased after the second attempt", func() bool {
						return strings.Contains(r.rows(t)[0], " erased attempts=2 ")
					})
					if got := failure(); got != "" {
						t.Errorf("a mail that arrived failed: %s", got)
					}
					return
				}
				waittest.Until(t, "it is given up", func() bool { return strings.Contains(failure(), one.failure) })
				if row := r.rows(t)[0]; !strings.Contains(row, " erased attempts=1 ") ||
					!strings.Contains(logged.String(), `"level":"error"`) {
					t.Errorf("%s; the log says %s", row, logged)
				}
			})
		})
	}
}

func TestARelayThatNeverAnswersIsLeft(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { must(t, silent.Close()) })
	carrier, err := mail.NewSMTP("smtp://"+silent.Addr().String(), sender, nil)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- carrier.Carry(ctx, message("m")) }()
	client, err := silent.Accept()
	must(t, err)
	cancel()
	select {
	case err := <-left:
		if err == nil {
			t.Error("a mail was carried to a relay that never said a word")
		}
	case <-time.After(patience):
		t.Error("the relay was not left")
	}
	must(t, client.Close())
}

func TestTheAddressOfARelaySaysWhatIsNeededAndNeverLeaks(t *testing.T) {
	for _, one := range []struct {
		relay string
		taken bool
	}{
		{"smtp://relay.example.org", true},
		{"smtp://relay.example.org:25/", true},
		{"smtp://user:top%20secret@relay.example.org:587", true},
		{"smtp://[::1]:1025?tls=none", true},
		{"smtp://localhost:1025?tls=none", true},
		{"smtp://relay.example.org?tls=none", false},
		{"smtp://user:secret@127.0.0.1?tls=none", false},
		{"smtp://user:secret@127.0.0.1?tls=never", false},
		{"smtp://user@relay.example.org", false},
		{"smtp://:secret@relay.example.org", false},
		{"smtp://relay.example.org:0", false},
		{"smtp://relay.example.org:secret", false},
		{"smtp://user:secret@relay.example.org/path", false},
		{"smtp://user:secret@relay.example.org#x", false},
		{"http://user:secret@relay.example.org", false},
		{"user:secret@relay.example.org", false},
		{"smtp://us er:secret@relay.example.org", false},
		{"smtp://", false},
	} {
		carrier, err := mail.NewSMTP(one.relay, sender, nil)
		if (err == nil) != one.taken {
			t.Errorf("%s: %v", one.relay, err)
		}
		if shown := fmt.Sprintf("%v %+v %#v", err, carrier, carrier); strings.Contains(shown, "secret") {
			t.Errorf("%s shows its password: %s", one.relay, shown)
		}
	}
	for _, from := range []string{"", "nobody", "a@example.org\r\nBcc: eva@example.org",
		"a@example.org, b@example.org"} {
		if _, err := mail.NewSMTP("smtp://relay.example.org", from, nil); err == nil {
			t.Errorf("mails may come from %q", from)
		}
	}
}

func TestARelayOnThisMachineCanDoWithoutTLSWhenConfigured(t *testing.T) {
	relay := mailtest.Start(t, mailtest.Script{WithoutTLS: true})
	carrier, err := mail.NewSMTP("smtp://"+relay.Address+"?tls=none", sender, nil)
	must(t, err)
	must(t, carrier.Carry(t.Context(), message("m")))
	if got := relay.Next(t); got.TLS || got.To != "ana@example.cl" {
		t.Errorf("%+v", got)
	}
}

// lockedLog is a log that may be read while it is written.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedLog) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedLog) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

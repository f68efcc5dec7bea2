package mail_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
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

// reply gives a relay's response with a code.
func reply(code int, enhanced smtp.EnhancedCode) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "about ana@example.cl and http://127.0.0.1/x?token=s3cret"}
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
		"no STARTTLS":                   {script: mailtest.Script{WithoutTLS: true, Auth: func(string, string) error { return nil }}},
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
func TestARefusalForGoodIsToldAndNotTriedAgain(t *testing.T) {
	for name, one := range map[string]struct {
		script  mailtest.Script
		again   bool
		failure string
	}{
		"unknown recipient":       {mailtest.Script{Rcpt: func(string) error { return reply(550, smtp.EnhancedCode{5, 1, 1}) }}, false, "RCPT TO command: the relay answered 550 5.1.1"},
		"recipient over quota":    {mailtest.Script{Rcpt: func(string) error { return reply(452, smtp.EnhancedCode{4, 2, 2}) }}, true, ""},
		"content not wanted":      {mailtest.Script{Data: func(net.Conn, mailtest.Letter) error { return reply(554, smtp.EnhancedCode{5, 7, 1}) }}, false, "the relay answered 554 5.7.1"},
		"relay is full":           {mailtest.Script{Data: func(net.Conn, mailtest.Letter) error { return reply(451, smtp.EnhancedCode{4, 3, 0}) }}, true, ""},
		"relay goes away":         {mailtest.Script{Mail: func(string) error { return reply(421, smtp.EnhancedCode{4, 3, 2}) }}, true, ""},
		"our address not wanted":  {mailtest.Script{Mail: func(string) error { return reply(553, smtp.EnhancedCode{5, 1, 8}) }}, true, ""},
		"our password not wanted": {mailtest.Script{Auth: func(string, string) error { return reply(535, smtp.EnhancedCode{5, 7, 8}) }}, true, ""},
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
				waittest.Until(t, "the log tells of it", func() bool { return strings.Contains(logged.String(), `"mail":"m"`) })
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
					due := "attempts=1 due=" + noon.Add(30*time.Second).Format(time.RFC3339)
					waittest.Until(t, due, func() bool { return strings.HasSuffix(r.rows(t)[0], due) })
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
				if row := r.rows(t)[0]; !strings.Contains(row, " erased attempts=1 ") || !strings.Contains(logged.String(), `"level":"error"`) {
					t.Errorf("%s; the log says %s", row, logged)
				}
			})
		})
	}
}

func TestAMailIsNotTriedForEver(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		r.enqueue(t, message("m"))
		_, err := r.raw.ExecContext(t.Context(), "UPDATE outbox SET attempts = 18")
		must(t, err)
		c := newCarrier()
		c.failing.Store(true)
		r.send(t, c)
		c.awaits(t)
		later := noon.Add(6 * time.Hour)
		due := "attempts=19 due=" + later.Format(time.RFC3339)
		waittest.Until(t, due, func() bool { return strings.HasSuffix(r.rows(t)[0], due) })
		r.setClock(later)
		c.awaits(t)
		waittest.Until(t, "it is given up", func() bool { return strings.Contains(r.rows(t)[0], " erased attempts=20 ") })
		var failure string
		must(t, r.raw.QueryRowContext(t.Context(), "SELECT failure FROM outbox").Scan(&failure))
		if failure != "too many attempts failed" {
			t.Errorf("it failed with %q", failure)
		}
	})
}

// Two processes share the outbox, and the relay is slow with the first mail. The other process
// does not touch this mail while it may still be carried.
func TestASlowRelayGetsAMailOnceHoweverManyProcessesSend(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		reading, answer := make(chan struct{}, 10), make(chan struct{})
		release := sync.OnceFunc(func() { close(answer) })
		relay := mailtest.Start(t, mailtest.Script{Data: func(_ net.Conn, l mailtest.Letter) error {
			if l.Subject == "slow" {
				reading <- struct{}{}
				<-answer
			}
			return nil
		}})
		for range 2 {
			r.send(t, overSMTP(t, relay))
		}
		t.Cleanup(release) // before the senders stop
		slow := message("slow")
		slow.Subject = "slow"
		r.enqueue(t, slow)
		<-reading
		r.setClock(noon.Add(2 * time.Minute)) // within the lease
		r.enqueue(t, message("other"))
		if got := relay.Next(t); got.Subject == "slow" {
			t.Error("it was sent again")
		}
		release()
		if got := relay.Next(t); got.Subject != "slow" {
			t.Errorf("%q arrived", got.Subject)
		}
		waittest.Until(t, "both are erased", func() bool { return strings.Count(strings.Join(r.rows(t), "\n"), " erased attempts=1 ") == 2 })
		if more := relay.Waiting(); len(more) > 0 {
			t.Errorf("%d more mails arrived", len(more))
		}
	})
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

func TestMailsThatSomebodyWaitsForGoBeforeThoseOfLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		alert := message("alert")
		alert.List = "alerts"
		r.enqueue(t, alert)
		r.setClock(noon.Add(time.Second))
		r.enqueue(t, message("link"))
		c := newCarrier()
		r.send(t, c)
		if first, second := c.awaits(t), c.awaits(t); first != "link" || second != "alert" {
			t.Errorf("%s went before %s", first, second)
		}
	})
}

// A process that lost its lease must not affect the process that has the mail now.
func TestWhoLostItsLeaseChangesNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		var tries atomic.Int64
		stuck, fail := make(chan struct{}), make(chan struct{})
		release := sync.OnceFunc(func() { close(fail) })
		c := carrierFunc(func(context.Context, mail.Message) error {
			if tries.Add(1) == 1 {
				close(stuck)
			}
			<-fail
			return &mail.Refusal{Reason: "no"}
		})
		r.send(t, c)
		r.enqueue(t, message("m"))
		<-stuck
		r.setClock(noon.Add(10 * time.Minute)) // the lease has ended
		second := newCarrier()
		second.failing.Store(true)
		r.send(t, second)
		t.Cleanup(release) // before the senders stop
		second.awaits(t)
		due := "attempts=2 due=" + noon.Add(11*time.Minute).Format(time.RFC3339)
		waittest.Until(t, due, func() bool { return strings.HasSuffix(r.rows(t)[0], due) })
		release()
		r.setClock(noon.Add(11 * time.Minute))
		second.failing.Store(false)
		waittest.Until(t, "it is tried a third time", func() bool { return strings.Contains(r.rows(t)[0], "attempts=3") })
	})
}

type carrierFunc func(context.Context, mail.Message) error

func (f carrierFunc) Carry(ctx context.Context, m mail.Message) error { return f(ctx, m) }

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
	for _, from := range []string{"", "nobody", "a@example.org\r\nBcc: eva@example.org", "a@example.org, b@example.org"} {
		if _, err := mail.NewSMTP("smtp://relay.example.org", from, nil); err == nil {
			t.Errorf("mails may come from %q", from)
		}
	}
}

func TestARelayOnThisMachineCanDoWithoutTLSWhenTold(t *testing.T) {
	relay := mailtest.Start(t, mailtest.Script{WithoutTLS: true})
	carrier, err := mail.NewSMTP("smtp://"+relay.Address+"?tls=none", sender, nil)
	must(t, err)
	must(t, carrier.Carry(t.Context(), message("m")))
	if got := relay.Next(t); got.TLS || got.To != "ana@example.cl" {
		t.Errorf("%+v", got)
	}
}

// Text of an attacker in a mail stays in its field.
func TestNothingInAMailBecomesAHeader(t *testing.T) {
	for name, m := range map[string]mail.Message{
		"in the text":  {Text: "x\r\n.\r\nMAIL FROM:<eva@example.cl>\r\nBcc: eva@example.cl\r\n"},
		"in the HTML":  {HTML: "<p>x</p>\n.\nBcc: eva@example.cl\n"},
		"line feeds":   {Text: "x\n.\nRCPT TO:<eva@example.cl>\n"},
		"bare returns": {Text: "x\r.\rRCPT TO:<eva@example.cl>\r"},
		"long lines":   {Text: strings.Repeat("Bcc: eva@example.cl ", 100)},
	} {
		t.Run(name, func(t *testing.T) {
			relay := mailtest.Start(t, mailtest.Script{})
			whole := message("m")
			if m.Text != "" {
				whole.Text = m.Text
			} else {
				whole.HTML = m.HTML
			}
			must(t, overSMTP(t, relay).Carry(t.Context(), whole))
			got := relay.Next(t)
			if got.To != "ana@example.cl" || got.Header.Get("Bcc") != "" || !strings.Contains(got.Text+got.HTML, "eva@example.cl") {
				t.Errorf("%+v", got)
			}
			if more := relay.Waiting(); len(more) > 0 {
				t.Errorf("%d more mails arrived", len(more))
			}
		})
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

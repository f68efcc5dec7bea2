// Package mailtest runs a real mail relay for tests: an SMTP server with STARTTLS
// and a certificate of its own authority, which takes mail from whoever knows the
// password, unless a test tells it to do otherwise.
package mailtest

import (
	"bytes"
	"crypto/x509"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"cuota/internal/tlstest"
)

// User and Password are what the relay wants to hear.
const (
	User     = "cuota"
	Password = "pass-phrase-of-the-relay"
)

// patience bounds what a test waits for; nothing is expected to take so long.
const patience = time.Minute

// Script says how a relay behaves. Its functions may block, and what they return
// is what the relay says; an *smtp.SMTPError has a code of its own.
type Script struct {
	WithoutTLS bool                                  // offer no STARTTLS, and want no password
	Name       string                                // that the certificate is for, by default 127.0.0.1
	Auth       func(user, password string) error     // by default the right ones
	Mail       func(from string) error               // takes all
	Rcpt       func(to string) error                 // takes all
	Data       func(client net.Conn, l Letter) error // takes all; it has read the whole mail
}

// Relay is a running relay.
type Relay struct {
	Address string         // host:port
	Roots   *x509.CertPool // its authority
	PEM     []byte         // the same
	arrived chan Letter
	script  atomic.Pointer[Script]
}

// Letter is a mail that arrived, read back.
type Letter struct {
	From, To   string // of the envelope
	TLS        bool   // it came over TLS
	User       string // who was signed in
	Header     netmail.Header
	Subject    string // decoded
	Text, HTML string // the alternatives, decoded
}

// Start runs a relay until the test ends.
func Start(t testing.TB, script Script) *Relay {
	t.Helper()
	r := &Relay{arrived: make(chan Letter, 10_000)}
	r.Behave(script)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r.Address = listener.Addr().String()
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{relay: r, conn: c}, nil
	}))
	server.Domain = "relay.test"
	server.ErrorLog = quiet{}
	if script.WithoutTLS {
		server.AllowInsecureAuth = true
	} else {
		certified := tlstest.For(t, script.Name)
		server.TLSConfig, r.Roots, r.PEM = certified.Server, certified.Roots, certified.PEM
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		must(t, <-served)
	})
	return r
}

// Behave changes how the relay behaves from now on; not whether it has TLS.
func (r *Relay) Behave(script Script) { r.script.Store(&script) }

// URL is what a program is told of the relay, with the password.
func (r *Relay) URL() string { return "smtp://" + User + ":" + Password + "@" + r.Address }

// Next waits for the next mail.
func (r *Relay) Next(t testing.TB) Letter {
	t.Helper()
	select {
	case l := <-r.arrived:
		return l
	case <-time.After(patience):
		t.Fatal("no mail arrived at the relay")
		return Letter{}
	}
}

// Waiting gives the mails that have arrived and were not asked for.
func (r *Relay) Waiting() (letters []Letter) {
	for {
		select {
		case l := <-r.arrived:
			letters = append(letters, l)
		default:
			return letters
		}
	}
}

// session is one connection of a client.
type session struct {
	relay    *Relay
	conn     *smtp.Conn
	user     string
	from, to string
}

func (s *session) script() *Script { return s.relay.script.Load() }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if check := s.script().Auth; check != nil {
			return check(user, password)
		}
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.user == "" && !s.script().WithoutTLS {
		return smtp.ErrAuthRequired
	}
	s.from = from
	if say := s.script().Mail; say != nil {
		return say(from)
	}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	if say := s.script().Rcpt; say != nil {
		return say(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	l, err := Read(content)
	if err != nil {
		return err
	}
	_, l.TLS = s.conn.TLSConnectionState()
	l.From, l.To, l.User = s.from, s.to, s.user
	if say := s.script().Data; say != nil {
		if err := say(s.conn.Conn(), l); err != nil {
			return err
		}
	}
	s.relay.arrived <- l
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// Read reads a mail back as a mail program does: header and both alternatives.
func Read(content []byte) (Letter, error) {
	message, err := netmail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		return Letter{}, err
	}
	l := Letter{Header: message.Header}
	if l.Subject, err = (&mime.WordDecoder{}).DecodeHeader(message.Header.Get("Subject")); err != nil {
		return l, err
	}
	_, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return l, err
	}
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return l, nil
		}
		if err != nil {
			return l, err
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return l, err
		}
		read := strings.ReplaceAll(string(text), "\r\n", "\n")
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			l.HTML = read
		} else {
			l.Text = read
		}
	}
}

// quiet is a log of what clients do wrong, which tests do on purpose.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Package mailtest runs a real mail relay for tests: an SMTP server with STARTTLS and a
// certificate of its own authority. It accepts mail from clients with the right password,
// unless a test tells it to behave otherwise.
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

	"cuota/internal/testkit/tlstest"
)

// User and Password are the credentials that the relay accepts.
const (
	User     = "cuota"
	Password = "pass-phrase-of-the-relay"
)

// patience is how long Next waits. No wait is expected to take that long.
const patience = time.Minute

// Script defines how a relay behaves. Its functions may block. The relay answers with the error
// that they return; an *smtp.SMTPError sets the code. A nil function means the default.
type Script struct {
	WithoutTLS bool                                  // offer no STARTTLS and require no password
	Name       string                                // name in the certificate; the default is 127.0.0.1
	Auth       func(user, password string) error     // the default accepts User and Password only
	Mail       func(from string) error               // the default accepts all
	Rcpt       func(to string) error                 // the default accepts all
	Data       func(client net.Conn, l Letter) error // called after the whole mail was read; the default accepts all
}

// Relay is a running relay.
type Relay struct {
	Address string         // host:port
	Roots   *x509.CertPool // its certificate authority
	PEM     []byte         // the same, in PEM
	arrived chan Letter
	script  atomic.Pointer[Script]
}

// Letter is a mail that arrived, decoded.
type Letter struct {
	From, To   string // addresses of the envelope
	TLS        bool   // the mail came over TLS
	User       string // the authenticated user
	Header     netmail.Header
	Subject    string // decoded
	Text, HTML string // the decoded alternatives
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
		_ = listener.Close() // Close of the server misses a listener that Serve has not taken yet
		must(t, <-served)
	})
	return r
}

// Behave changes the script of a running relay. It can't turn TLS on or off.
func (r *Relay) Behave(script Script) { r.script.Store(&script) }

// URL returns the relay's URL for mail.NewSMTP, with the password.
func (r *Relay) URL() string { return "smtp://" + User + ":" + Password + "@" + r.Address }

// Next waits for the next mail. It fails the test if none arrives.
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

// Waiting returns the mails that have arrived and that Next has not returned.
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

// session is one SMTP connection.
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

// Read decodes a mail as a mail program does: the header and both alternatives.
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

// quiet discards log messages about errors of clients, which tests cause on purpose.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

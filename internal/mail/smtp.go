package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// submissionPort is the port on which relays accept mail from programs (RFC 6409).
const submissionPort = 587

// SMTP sends messages to a relay over STARTTLS. Each message uses a new connection. It does not
// sign messages (DKIM): the relay signs for its domain.
//
// No field holds the password, so printing an SMTP can't reveal it. The function options holds
// it in its closure.
type SMTP struct {
	host    string
	from    string
	options func() []gomail.Option
}

// NewSMTP makes a carrier for a relay, whose URL has one of these forms:
//
//	smtp://user:password@mail.example.org:587
//	smtp://127.0.0.1:1025?tls=none
//
// The default port is 587. The relay must offer STARTTLS and a certificate for its name that
// roots accept (nil means the system's roots). tls=none turns TLS off; it is allowed only for a
// relay on this machine and without a password. from is the sender's address. NewSMTP fails if
// relay or from is not valid. Its errors do not contain the relay's URL, which may contain a
// password.
func NewSMTP(relay, from string, roots *x509.CertPool) (*SMTP, error) {
	if _, err := mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("the sender address %q of mails is not valid: %w", from, err)
	}
	u, err := url.Parse(relay)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return nil, errors.New("the address of the mail relay is not one like smtp://user:password@mail.example.org:587")
	}
	port := submissionPort
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil || port < 1 || port > 65535 {
			return nil, errors.New("the port of the mail relay must be a number from 1 to 65535")
		}
	}
	password, hasPassword := u.User.Password()
	if hasPassword != (u.User.Username() != "") {
		return nil, errors.New("the mail relay needs a user and a password, or neither")
	}
	options := []gomail.Option{
		gomail.WithPort(port), gomail.WithTimeout(carryWithin), gomail.WithoutNoop(), gomail.WithoutRset(),
	}
	switch u.RawQuery {
	case "":
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory),
			gomail.WithTLSConfig(&tls.Config{ServerName: u.Hostname(), RootCAs: roots, MinVersion: tls.VersionTLS12}))
	case "tls=none":
		if !isLoopback(u.Hostname()) {
			return nil, errors.New("tls=none is only for a mail relay on this machine: remove it")
		}
		if hasPassword {
			return nil, errors.New("a password is not sent to a mail relay without TLS: remove the password or tls=none")
		}
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, errors.New("the address of the mail relay has an unknown parameter: only ?tls=none is allowed")
	}
	if hasPassword {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return &SMTP{host: u.Hostname(), from: from, options: func() []gomail.Option { return options }}, nil
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// Carry sends a message over a new connection, and fails if ctx ends first. A *Refusal is
// returned if the relay refuses the recipient or the content for good (a 5xx). Earlier failures
// concern the relay, the password or the sender's address and not the message, so they may be
// tried again after a correction.
func (s *SMTP) Carry(ctx context.Context, m Message) error {
	composed, err := Compose(s.from, m, time.Now())
	if err != nil {
		return &Refusal{fmt.Sprintf("the mail can't be composed: %v", err)}
	}
	// The client has its own timeout for each step, and leaves the connection open if one
	// fails. This function limits all steps together.
	release := func() {}
	defer func() { release() }()
	client, err := gomail.NewClient(s.host, append([]gomail.Option{
		gomail.WithDialContextFunc(func(dialling context.Context, network, address string) (net.Conn, error) {
			connection, err := (&net.Dialer{}).DialContext(dialling, network, address)
			if err == nil {
				stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
				release = func() { stop(); _ = connection.Close() }
			}
			return connection, err
		}),
	}, s.options()...)...)
	if err != nil {
		return fmt.Errorf("prepare the connection to the mail relay: %w", err)
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("connect to the mail relay: %w", spoken(err))
	}
	err = client.SendWithSMTPClient(session, composed)
	if composed.IsDelivered() {
		_ = client.CloseWithSMTPClient(session) // the relay has accepted the message, so an error here does not matter
		return nil
	}
	return judge(err)
}

// judge turns the error of a failed delivery into a *Refusal or an error that may be retried.
func judge(err error) error {
	var failed *gomail.SendError
	if !errors.As(err, &failed) {
		return fmt.Errorf("send a mail to the relay: %w", spoken(err))
	}
	if failed.ErrorCode() == 0 {
		return fmt.Errorf("send a mail to the relay: %s: the connection broke or took too long", failed.Reason)
	}
	said := strings.TrimSpace(fmt.Sprintf("%s: the relay answered %d %s", failed.Reason, failed.ErrorCode(),
		failed.EnhancedStatusCode()))
	switch failed.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		if failed.ErrorCode() >= 500 {
			return &Refusal{said}
		}
	}
	return errors.New(said)
}

// spoken replaces a server's response by its code, because responses may contain addresses or a
// password.
func spoken(err error) error {
	if reply, is := errors.AsType[*textproto.Error](err); is {
		return fmt.Errorf("the relay answered %d", reply.Code)
	}
	return err
}

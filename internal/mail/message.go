// Package mail sends what the account area and the alerts have to say to a
// person.
//
// A message is never sent by whoever writes it. It is put into the outbox, a
// table of the account store, in the same transaction as the change that
// causes it: either both happened or neither, and a caller waits for no mail
// server. The Sender takes messages from there, one at a time, and gives each
// to a Carrier: SMTP hands them to a relay, Folder writes .eml files. A mail
// that could not be carried is tried again, later each time, until it is refused
// for good, was tried often enough or has expired.
//
// The outbox holds secrets (links that sign in), so messages lie in it sealed
// with a key derived from the pepper, and are erased once carried.
package mail

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// Message is one mail to one person.
type Message struct {
	ID          string // idempotency key: of messages with the same id one is sent
	To          string // the bare address, as the account store normalises it
	Subject     string
	Text        string // the plain alternative, with the link in full
	HTML        string // the other one; "" for a mail of text alone
	Unsubscribe string // one-click address of RFC 8058; "" for transactional mail
	List        string // mailing list that it belongs to; "" for transactional mail, which goes first

	// Expires is from when on nobody wants it: it is not sent then, and not remembered
	// by its ID once it was sent or given up. Zero: it is sent late too, and once.
	Expires time.Time
}

// Bounds of a message.
const (
	maxSubjectBytes = 200
	maxBodyBytes    = 1 << 20
)

// idForm is what an id may look like; it also names a file.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// listForm is what the name of a mailing list looks like.
var listForm = regexp.MustCompile(`^[a-z_]{0,40}$`)

// validate refuses what could reach beyond its place in a header or a file
// name. Its errors repeat nothing of the message.
func (m Message) validate() error {
	oneLine := func(text string) bool {
		return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
	}
	switch {
	case !idForm.MatchString(m.ID):
		return errors.New("the id of a message is 1 to 200 letters, digits, dots, underscores and hyphens")
	case m.To == "" || len(m.To) > 254 || !oneLine(m.To) || strings.ContainsAny(m.To, " ,;<>"):
		return errors.New("the recipient of a message is one bare address")
	case m.Subject == "" || len(m.Subject) > maxSubjectBytes || !oneLine(m.Subject):
		return fmt.Errorf("the subject of a message is one line of 1 to %d bytes", maxSubjectBytes)
	case m.Text == "" || len(m.Text)+len(m.HTML) > maxBodyBytes:
		return fmt.Errorf("a message has a text, and with its HTML at most %d bytes", maxBodyBytes)
	case !oneLine(m.Unsubscribe) || strings.ContainsAny(m.Unsubscribe, " <>,"):
		return errors.New("the unsubscribe address of a message is one URL")
	case !listForm.MatchString(m.List):
		return errors.New("the list of a message is up to 40 lower-case letters and underscores")
	}
	return nil
}

// Compose makes the MIME form of a message from an address: text, its HTML
// alternative, and the headers of RFC 8058 when one can unsubscribe from it.
// The same message composed twice has the same Message-ID, so that a receiver
// can tell a repetition.
func Compose(from string, m Message, at time.Time) (*gomail.Msg, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := msg.From(from); err != nil {
		return nil, fmt.Errorf("the address that mails come from: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		return nil, errors.New("the recipient of a message is not an address") // err repeats it
	}
	msg.Subject(m.Subject)
	msg.SetDateWithValue(at)
	sender := msg.GetFrom()[0].Address
	msg.SetMessageIDWithValue(m.ID + sender[strings.LastIndexByte(sender, '@'):])
	// Nobody should answer a machine with an automatic reply (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Unsubscribe != "" {
		msg.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">")
		msg.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg, nil
}

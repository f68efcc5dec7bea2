// Package mail sends the mails of the account area and of the alerts.
//
// A message is first put into the outbox, a table of the account store, in the same transaction
// as the change that causes it. So either both happen or neither, and no caller waits for a
// mail server. The Sender takes messages from the outbox, one at a time, and gives each to a
// Carrier: SMTP sends them to a relay, Folder writes .eml files. A failed message is tried
// again after growing pauses, until it is refused for good, was tried too often or has expired.
//
// The outbox contains secrets (links that sign in). So its messages are encrypted with a key
// derived from the pepper, and are erased once they are carried.
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
	ID          string // idempotency key: only one message with the same id is sent
	To          string // the bare address, normalised by the account store
	Subject     string
	Text        string // the plain text, with the link in full
	HTML        string // the HTML alternative; "" if there is only text
	Unsubscribe string // one-click address (RFC 8058); "" for transactional mail
	List        string // mailing list of the message; "" for transactional mail, which is sent first

	// Expires is the time after which the message is not sent. Its ID is then not kept after it
	// was sent or given up. If Expires is zero, the message is sent even if it is late, and its
	// ID is kept so that it is sent only once.
	Expires time.Time
}

// Limits of a message.
const (
	maxSubjectBytes = 200
	maxBodyBytes    = 1 << 20
)

// idForm is the form of an id, which also names a file.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// listForm is the form of the name of a mailing list.
var listForm = regexp.MustCompile(`^[a-z_]{0,40}$`)

// validate refuses values that could change the structure of a header or a file name. Its
// errors contain nothing of the message.
func (m Message) validate() error {
	oneLine := func(text string) bool {
		return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
	}
	switch {
	case !idForm.MatchString(m.ID):
		return errors.New("the id of a message must be 1 to 200 letters, digits, dots, underscores and hyphens")
	case m.To == "" || len(m.To) > 254 || !oneLine(m.To) || strings.ContainsAny(m.To, " ,;<>"):
		return errors.New("the recipient of a message must be one address without a name")
	case m.Subject == "" || len(m.Subject) > maxSubjectBytes || !oneLine(m.Subject):
		return fmt.Errorf("the subject of a message must be one line of 1 to %d bytes", maxSubjectBytes)
	case m.Text == "" || len(m.Text)+len(m.HTML) > maxBodyBytes:
		return fmt.Errorf("a message must have a text, and at most %d bytes with its HTML", maxBodyBytes)
	case !oneLine(m.Unsubscribe) || strings.ContainsAny(m.Unsubscribe, " <>,"):
		return errors.New("the unsubscribe address of a message must be one URL")
	case !listForm.MatchString(m.List):
		return errors.New("the list of a message must be at most 40 lower-case letters and underscores")
	}
	return nil
}

// Compose makes the MIME form of a message: the text, its HTML alternative, and the headers of
// RFC 8058 if the message has an unsubscribe address. from is the sender's address and at the
// date. The same message always gets the same Message-ID, so that receivers can detect
// duplicates. Compose fails if the message or from is not valid.
func Compose(from string, m Message, at time.Time) (*gomail.Msg, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := msg.From(from); err != nil {
		return nil, fmt.Errorf("the sender address of mails is not valid: %w", err)
	}
	if err := msg.To(m.To); err != nil {
		return nil, errors.New("the recipient of a message is not an address") // err contains the address
	}
	msg.Subject(m.Subject)
	msg.SetDateWithValue(at)
	sender := msg.GetFrom()[0].Address
	msg.SetMessageIDWithValue(m.ID + sender[strings.LastIndexByte(sender, '@'):])
	// Tell mail programs not to send automatic replies (RFC 3834).
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

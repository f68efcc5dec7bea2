package mail

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/rs/zerolog"
)

// Folder writes each message as a file that any mail program opens, and logs
// the link in it, so that everything can be tried on one machine. A link signs in
// whoever reads it: for a service that others use, mails go over SMTP instead.
type Folder struct {
	path string
	from string
	log  zerolog.Logger
}

// NewFolder makes a carrier into the directory at path, made on the first
// message for its owner alone; from is the address that messages come from.
func NewFolder(path, from string, log zerolog.Logger) (*Folder, error) {
	if _, err := mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("the address %q that mails come from: %w", from, err)
	}
	return &Folder{path: path, from: from, log: log}, nil
}

// link finds the first address in a text.
var link = regexp.MustCompile(`https?://\S+`)

// Carry writes the message to a file named for its id.
func (f *Folder) Carry(_ context.Context, m Message) (err error) {
	composed, err := Compose(f.from, m, time.Now())
	if err != nil {
		return fmt.Errorf("compose a mail: %w", err)
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return fmt.Errorf("make the mail folder: %w", err)
	}
	path := filepath.Join(f.path, m.ID+".eml")
	// Readers see whole messages: the name appears when the file is complete.
	file, err := os.CreateTemp(f.path, ".mail-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = composed.WriteTo(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	f.log.Info().Str("subject", m.Subject).Str("file", path).Str("link", link.FindString(m.Text)).
		Msg("a mail was written to a file: open its link in the browser")
	return nil
}

package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/unfinished"
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

// incoming begins the name of a file that is being written, and ending ends that
// of a whole one.
const (
	incoming = ".mail-"
	ending   = ".eml"
)

func (f *Folder) file(id string) string { return filepath.Join(f.path, id+ending) }

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
	path := f.file(m.ID)
	// Readers see whole messages: the name appears when the file is complete.
	file, err := unfinished.Create(f.path, incoming) // mode 0600
	if err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
		err = errors.Join(err, file.Close()) // open until now, so that no sweep took it
	}()
	if _, err := composed.WriteTo(file); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	f.log.Info().Str("subject", m.Subject).Str("file", path).Str("link", link.FindString(m.Text)).
		Msg("a mail was written to a file: open its link in the browser")
	return nil
}

// Sweep removes what processes were writing into the folder when they were killed.
func (f *Folder) Sweep() error {
	if _, err := unfinished.Sweep(f.path, incoming); err != nil {
		return fmt.Errorf("remove what killed processes left in the mail folder: %w", err)
	}
	return nil
}

// Recall removes the file of a message, if there is one.
func (f *Folder) Recall(id string) error {
	if err := os.Remove(f.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a mail: %w", err)
	}
	return nil
}

// Erase removes every message to an address, in its normal form. It also removes
// unfinished files, because their recipient is not known. A carrier that was writing
// one tries again. A file that is no message is left and logged.
func (f *Folder) Erase(ctx context.Context, address string) error {
	entries, err := os.ReadDir(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the mail folder: %w", err)
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("erase mails: %w", err)
		}
		half := strings.HasPrefix(entry.Name(), incoming)
		if !half && !strings.HasSuffix(entry.Name(), ending) || !entry.Type().IsRegular() {
			continue
		}
		path := filepath.Join(f.path, entry.Name())
		if !half {
			mine, err := isTo(path, address)
			if errors.Is(err, fs.ErrNotExist) { // somebody else removed it
				continue
			}
			if errors.Is(err, errNoMessage) {
				f.log.Warn().Str("file", entry.Name()).Msg("the recipient of a mail file can't be read, so it is kept: delete it by hand if it is nobody's")
				continue
			}
			if err != nil {
				return fmt.Errorf("read a mail: %w", err)
			}
			if !mine {
				continue
			}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a mail: %w", err)
		}
	}
	return nil
}

// maxHead bounds what is read of a file to learn to whom it goes.
const maxHead = 64 << 10

// errNoMessage says that a file has no recipient that can be read.
var errNoMessage = errors.New("the file is no message")

// isTo tells whether the message in a file goes to an address, or gives errNoMessage,
// which repeats nothing of the file.
func isTo(path, address string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	message, err := mail.ReadMessage(io.LimitReader(file, maxHead))
	if err != nil {
		return false, errNoMessage
	}
	to, err := message.Header.AddressList("To")
	if err != nil {
		return false, errNoMessage
	}
	return slices.ContainsFunc(to, func(a *mail.Address) bool { return strings.EqualFold(a.Address, address) }), nil
}

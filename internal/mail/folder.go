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
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/unfinished"
)

// Folder writes each message to a file that any mail program opens, and logs the path of the file,
// so that everything can be tried on one machine. Anybody who reads a link in such a file can sign in
// with it, so only the owner may read the files. A service for other people must use SMTP.
type Folder struct {
	path string
	from string
	log  zerolog.Logger
}

// NewFolder makes a carrier that writes into the directory at path. The directory is created
// with the first message, with access for its owner only. from is the sender's address;
// NewFolder fails if it is not valid.
func NewFolder(path, from string, log zerolog.Logger) (*Folder, error) {
	if _, err := mail.ParseAddress(from); err != nil {
		return nil, fmt.Errorf("the sender address %q of mails is not valid: %w", from, err)
	}
	return &Folder{path: path, from: from, log: log}, nil
}

// incoming is the prefix of a file that is being written. ending is the suffix of a finished
// one.
const (
	incoming = ".mail-"
	ending   = ".eml"
)

func (f *Folder) file(id string) string { return filepath.Join(f.path, id+ending) }

// Carry writes the message to a file that is named after its id.
func (f *Folder) Carry(_ context.Context, m Message) (err error) {
	composed, err := Compose(f.from, m, time.Now())
	if err != nil {
		return fmt.Errorf("compose a mail: %w", err)
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return fmt.Errorf("create the mail folder: %w", err)
	}
	path := f.file(m.ID)
	// Readers see only complete messages, because the file gets its name when it is complete.
	file, err := unfinished.Create(f.path, incoming) // mode 0600
	if err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
		err = errors.Join(err, file.Close()) // the file stays open until now, so that Sweep does not remove it
	}()
	if _, err := composed.WriteTo(file); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	f.log.Info().Str("subject", m.Subject).Str("file",
		path).Msg("a mail was written to a file: open it, and its link in the browser")
	return nil
}

// Sweep removes unfinished files that killed processes left in the folder.
func (f *Folder) Sweep() error {
	if _, err := unfinished.Sweep(f.path, incoming); err != nil {
		return fmt.Errorf("remove temporary files of killed processes from the mail folder: %w", err)
	}
	return nil
}

// Recall removes the file of a message. It is no error if there is none.
func (f *Folder) Recall(id string) error {
	if err := os.Remove(f.file(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a mail: %w", err)
	}
	return nil
}

// Erase removes every message to an address, which must be normalised. It also removes
// unfinished files, because their recipients are not known; a carrier that is writing one tries
// again. A file that is not a message is kept and logged.
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
			if errors.Is(err, fs.ErrNotExist) { // somebody else has removed it
				continue
			}
			if errors.Is(err, errNoMessage) {
				f.log.Warn().Str("file", entry.Name()).Msg(
					"the recipient of a mail file can't be read, so the file is kept; if it belongs to a removed " +
						"account, delete it by hand")
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

// maxHead limits how many bytes of a file are read to find its recipient.
const maxHead = 64 << 10

// errNoMessage says that the recipient of a file can't be read.
var errNoMessage = errors.New("the file is not a mail")

// isTo reports whether the message in a file goes to an address. It returns errNoMessage, which
// contains nothing of the file, if the recipient can't be read.
func isTo(path, address string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // the file was only read
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

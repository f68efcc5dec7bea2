package mail_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/internal/mail"

	"github.com/rs/zerolog"
)

func TestAMailFileIsWhatAMailProgramOpens(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mails")
	var logged bytes.Buffer
	c, err := mail.NewFolder(folder, "Fondos <cuota@example.org>", zerolog.New(&logged))
	must(t, err)
	for range 2 { // the same message again gives the same file
		must(t, c.Carry(t.Context(), message("link-1")))
	}
	files, err := os.ReadDir(folder)
	must(t, err)
	if len(files) != 1 || files[0].Name() != "link-1.eml" {
		t.Fatalf("%v", files)
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, "link-1.eml"): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
	content, err := os.ReadFile(filepath.Join(folder, "link-1.eml"))
	must(t, err)
	opened, err := netmail.ReadMessage(bytes.NewReader(content))
	must(t, err)
	subject, err := (&mime.WordDecoder{}).DecodeHeader(opened.Header.Get("Subject"))
	must(t, err)
	for name, pair := range map[string][2]string{
		"subject":     {subject, "Año nuevo"},
		"to":          {opened.Header.Get("To"), "<ana@example.cl>"},
		"from":        {opened.Header.Get("From"), `"Fondos" <cuota@example.org>`},
		"message id":  {opened.Header.Get("Message-ID"), "<link-1@example.org>"},
		"unsubscribe": {opened.Header.Get("List-Unsubscribe"), "<https://funds.example.org/u?token=t>"},
		"one click":   {opened.Header.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
		}
	}
	kind, parameters, err := mime.ParseMediaType(opened.Header.Get("Content-Type"))
	must(t, err)
	parts := multipart.NewReader(opened.Body, parameters["boundary"])
	for _, want := range []struct{ kind, text string }{{"text/plain", message("").Text},
		{"text/html", message("").HTML}} {
		part, err := parts.NextRawPart()
		must(t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		must(t, err)
		if !strings.HasPrefix(part.Header.Get("Content-Type"), want.kind) ||
			strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")) != strings.TrimSpace(want.text) {
			t.Errorf("%s of %s: %q", part.Header.Get("Content-Type"), kind, text)
		}
	}
	if said := logged.String(); strings.Contains(said, "s3cret") || !strings.Contains(said, `"file":"`) {
		t.Errorf("the log must name the file of a mail, and not the link in it: %s", said)
	}
}

func TestTheMailsToAnAddressAreErasedFromTheFolder(t *testing.T) {
	var logged bytes.Buffer
	folder := filepath.Join(t.TempDir(), "mails")
	// the sender's address may be any address
	c, err := mail.NewFolder(folder, "Fondos <ana@example.cl>", zerolog.New(&logged))
	must(t, err)
	must(t, c.Erase(t.Context(), "ana@example.cl")) // no mail was ever written
	long := strings.Repeat("x", 60) + "@" + strings.Repeat(strings.Repeat("y", 60)+".", 3) + "cl"
	for id, address := range map[string]string{
		"a-1": "ana@example.cl", "a-2": "ana@example.cl", "near-1": "mariana@example.cl",
		"near-2": "ana@example.cl.example.org", "long": long,
	} {
		must(t, c.Carry(t.Context(), to(address, id)))
	}
	for name, content := range map[string]string{
		".mail-unfinished": "From: <cuota@example.org>\r\nTo: <an", // the process ended while it wrote
		"note.txt":         "ana@example.cl",                       // not a file of this program
		"no-mail.eml":      "ana@example.cl",
	} {
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	left := func() string {
		entries, err := os.ReadDir(folder)
		must(t, err)
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return strings.Join(names, " ")
	}
	for range 2 {
		must(t, c.Erase(t.Context(), "ana@example.cl"))
		if got, want := left(), "long.eml near-1.eml near-2.eml no-mail.eml note.txt"; got != want {
			t.Errorf("%s are left, want %s", got, want)
		}
	}
	if said := logged.String(); strings.Count(said, `"file":"no-mail.eml"`) != 2 || strings.Contains(said, "note.txt") {
		t.Errorf("the log does not name the file that is no message: %s", said)
	}
	must(t, c.Erase(t.Context(), long))
	if got, want := left(), "near-1.eml near-2.eml no-mail.eml note.txt"; got != want {
		t.Errorf("%s are left, want %s", got, want)
	}
}

// erased writes into a folder. At that time Ana is removed: when her mail is taken from the
// outbox but not written yet, or when it is written but not recorded yet.
type erased struct {
	*mail.Folder
	before, after func()
}

func (e *erased) Carry(ctx context.Context, m mail.Message) error {
	if m.ID == "ana" {
		e.before()
		defer e.after()
	}
	return e.Folder.Carry(ctx, m)
}

func TestAMailThatIsUnderWayWhenItsPersonIsForgottenIsTakenBack(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		folder := filepath.Join(t.TempDir(), "mails")
		c, err := mail.NewFolder(folder, "cuota@example.org", zerolog.Nop())
		must(t, err)
		forget := func() {
			_, err := r.raw.ExecContext(context.Background(), "DELETE FROM outbox WHERE id = 'ana'")
			if err := errors.Join(err, c.Erase(context.Background(), "ana@example.cl")); err != nil {
				t.Error(err)
			}
		}
		nothing := func() {}
		for _, moment := range []*erased{{c, forget, nothing}, {c, nothing, forget}} {
			s := mail.NewSender(r.outbox, moment, zerolog.Nop())
			r.enqueue(t, message("ana"), to("eva@example.cl", "eva"))
			must(t, s.Start())
			r.untilErased(t, 1) // the other mail
			must(t, s.Stop(t.Context()))
			files, err := filepath.Glob(filepath.Join(folder, "*"))
			must(t, err)
			if len(files) != 1 || filepath.Base(files[0]) != "eva.eml" {
				t.Errorf("left are %v", files)
			}
			_, err = r.raw.ExecContext(t.Context(), "DELETE FROM outbox")
			must(t, err)
		}
	})
}

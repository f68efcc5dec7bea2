package mail_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/mail"
	"cuota/internal/testkit/waittest"
)

func TestASenderRemovesWhatKilledProcessesLeftInTheMailFolder(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		half, whole := filepath.Join(dir, ".mail-half"), filepath.Join(dir, "kept.eml")
		gone := func() bool {
			_, err := os.Stat(half)
			return os.IsNotExist(err)
		}
		must(t, os.WriteFile(half, []byte("From: <cu"), 0o600))
		must(t, os.WriteFile(whole, []byte("From: <cuota@example.org>\r\n\r\n"), 0o600))
		folder, err := mail.NewFolder(dir, "cuota@example.org", zerolog.Nop())
		must(t, err)
		r.send(t, folder)
		waittest.Until(t, "the file that was there at the start is removed", gone)
		must(t, os.WriteFile(half, []byte("From: <cu"), 0o600))
		r.setClock(noon.Add(time.Hour))
		waittest.Until(t, "a file that came later is removed", gone)
		if _, err := os.Stat(whole); err != nil {
			t.Errorf("a whole mail: %v", err)
		}
	})
}

package scrape

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const aFolder = `
[[source]]
name = "drop"
dataset = "uf"
folder = "FOLDER"
every = "1h"
`

func TestAFolderGivesItsWholeFilesOnceAndKeepsThem(t *testing.T) {
	h := newHarness(t)
	h.configure(aFolder)
	path := h.put("first.csv", uf("2026-08-18", "1"))
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.once(); got.Published != 1 || h.published[0].File != "first.csv" {
		t.Fatalf("%+v, want the file published", got)
	}
	if passed := h.clock.now.Sub(morning); passed != settle {
		t.Errorf("taken after %s, want two looks %s apart", passed, settle)
	}
	h.put("copy.csv", uf("2026-08-18", "1"))
	h.put("second.csv", uf("2026-08-18", "2"))
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 || got.Unchanged != 1 {
		t.Errorf("then %+v, want the new bytes alone published", got)
	}
	h.put("first.csv", uf("2026-08-18", "3.5"))
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 || got.Fetched != 1 {
		t.Errorf("a changed file: %+v, want it published", got)
	}
	h.put("first.csv", uf("2026-08-18", "3.5")) // the modification time changed, the bytes did not
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 0 {
		t.Errorf("the same bytes: %+v", got)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
		t.Errorf("the user's file was touched: %v, %v", after, err)
	}
	if entries, err := os.ReadDir(h.folder); err != nil || len(entries) != 3 {
		t.Errorf("%d entries in the folder, %v; want the user's three", len(entries), err)
	}
}

func TestAFileThatIsBeingWrittenIsLeftUntilItStands(t *testing.T) {
	h := newHarness(t)
	h.configure(aFolder)
	text := "fecha,valor\n"
	h.put("f.csv", text)
	s := h.start()
	defer h.stop(s)
	for range 3 { // it grows between each two looks, and then stays as it is
		text += "2026-08-18,1\n"
		if _, err := s.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.put("f.csv", text)
		h.clock.pass(settle)
	}
	if s.Summaries()[0].Fetched != 0 {
		t.Fatal("a growing file was read")
	}
	if err := s.Once(t.Context(), h.withIngester); err != nil {
		t.Fatal(err)
	}
	if len(h.published) != 1 || h.published[0].Rows != 3 {
		t.Errorf("published %+v, want the file with all its rows", h.published)
	}
}

func TestAFileThatNeverStandsStillIsReportedAndEndsNoRunLate(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 2\n" + aFolder)
	h.put("log.csv", "x")
	h.put("good.csv", uf("2026-08-18", "1"))
	s := h.start()
	defer h.stop(s)
	h.clock.end = morning.Add(30 * time.Minute) // Once must return before this time
	growing := &growingClock{clock: h.clock, grow: func() {
		text, err := os.ReadFile(filepath.Join(h.folder, "log.csv"))
		if err != nil {
			t.Error(err)
		}
		h.put("log.csv", string(text)+"x")
	}}
	s.clock = growing
	if err := s.Once(t.Context(), h.withIngester); err != nil {
		t.Fatal(err)
	}
	if got := s.Summaries()[0]; got.Published != 1 || got.Trouble != "log.csv: the file is still being written" {
		t.Errorf("%+v, want the other file published and the growing one told", got)
	}
}

// growingClock calls a function whenever time passes.
type growingClock struct {
	*clock
	grow func()
}

func (g *growingClock) Wait(ctx context.Context, until time.Time) error {
	g.grow()
	return g.clock.Wait(ctx, until)
}

func TestOnlyFinishedRegularFilesAreTaken(t *testing.T) {
	h := newHarness(t)
	h.configure("max_bytes = 100\n" + aFolder + `match = "*.csv*"`)
	outside := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(outside, []byte(uf("2026-08-18", "9")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".hidden.csv", "a.csv.part", "b.csv.crdownload", "c.csv~", "d.CSV.TMP",
		"README.csv.md", "other.txt"} {
		h.put(name, uf("2026-08-18", "9"))
	}
	h.put("empty.csv", "")
	h.put("huge.csv", strings.Repeat(uf("2026-08-18", "9"), 10))
	h.put("good.csv", uf("2026-08-18", "1"))
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(h.folder, "link.csv")),
		os.Mkdir(filepath.Join(h.folder, "sub.csv"), 0o700),
		syscall.Mkfifo(filepath.Join(h.folder, "pipe.csv"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := h.once()
	if got.Published != 1 || h.published[0].File != "good.csv" ||
		got.Trouble != "huge.csv: the file has 250 bytes, but max_bytes is 100" {
		t.Errorf("%+v, want good.csv alone and trouble with the huge file alone", got)
	}
	if !strings.Contains(h.log.String(), "links are not followed") {
		t.Error("the link was passed over in silence")
	}
}

func TestAFileThatTurnsIntoALinkBetweenTheLooksIsNotFollowed(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 0\n" + aFolder)
	path := h.put("f.csv", uf("2026-08-18", "1"))
	s := h.start()
	defer h.stop(s)
	if _, err := s.pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.Rename(path, secret); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, path); err != nil {
		t.Fatal(err)
	}
	source := s.sources[0]
	if _, err := source.copy(t.Context(), source.documents["f.csv"], filepath.Join(t.TempDir(), "copy")); err == nil ||
		!strings.Contains(err.Error(), "cannot be opened") {
		t.Errorf("the link was opened: %v", err)
	}
}

func TestARefusedFileIsInTroubleUntilItIsReplacedOrTakenAway(t *testing.T) {
	h := newHarness(t)
	h.configure(aFolder)
	h.put("a.csv", "<html>captcha</html>\n")
	bad := h.put("b.csv", "<html>captcha, too</html>\n")
	if got := h.once(); got.Refused != 2 ||
		!strings.Contains(got.Trouble, "a.csv: the payload is not published: the file is a web page") {
		t.Errorf("%+v, want both refused", got)
	}
	h.clock.pass(time.Hour)
	if got := h.once(); got.Refused != 0 || got.Trouble == "" {
		t.Errorf("an hour later: %+v, want the trouble told and nothing read again", got)
	}
	h.put("a.csv", uf("2026-08-18", "1"))
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 || got.Trouble != "" {
		t.Errorf("replaced and taken away: %+v, want no trouble", got)
	}
}

func TestAFolderThatIsMissingIsTroubleUntilItIsThere(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 1\n" + aFolder)
	if err := os.Remove(h.folder); err != nil {
		t.Fatal(err)
	}
	if got := h.once(); got.Failed != 2 || !strings.Contains(got.Trouble, "the folder cannot be read") {
		t.Errorf("%+v, want two attempts and the trouble", got)
	}
	if err := os.Mkdir(h.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	h.put("f.csv", uf("2026-08-18", "1"))
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 || got.Trouble != "" {
		t.Errorf("then %+v, want the file", got)
	}
}

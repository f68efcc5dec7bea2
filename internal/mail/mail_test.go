package mail_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/account/accounttest"
	"cuota/internal/mail"
	"cuota/internal/testkit/waittest"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is the timeout of each wait. No wait is expected to take that long.
const patience = 3 * time.Minute

var noon = time.Date(2026, 7, 15, 16, 0, 0, 0, time.UTC)

// rig is an outbox in a real store.
type rig struct {
	store  *account.Store
	outbox *mail.Outbox
	raw    *sql.DB // direct access to the database
	clock  *atomic.Pointer[time.Time]
}

func eachDatabase(t *testing.T, prove func(t *testing.T, r *rig)) {
	accounttest.Each(t, func(t *testing.T, db accounttest.Database) { prove(t, newRig(t, db)) })
}

func newRig(t *testing.T, db accounttest.Database) *rig {
	r := &rig{raw: db.Raw, clock: &atomic.Pointer[time.Time]{}}
	r.setClock(noon)
	var err error
	r.store, err = account.Open(t.Context(), db.DSN, bytes.Repeat([]byte{7}, 32), account.WithTimeout(patience))
	must(t, err)
	t.Cleanup(func() { must(t, r.store.Close()) })
	r.outbox, err = mail.NewOutbox(r.store, func() time.Time { return *r.clock.Load() })
	must(t, err)
	return r
}

func (r *rig) setClock(at time.Time) { r.clock.Store(&at) }

func (r *rig) enqueue(t testing.TB, messages ...mail.Message) {
	t.Helper()
	must(t, r.store.Transact(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		for _, m := range messages {
			if err := r.outbox.Enqueue(t.Context(), tx, m); err != nil {
				return err
			}
		}
		return nil
	}))
}

// send runs a sender until the test ends.
func (r *rig) send(t *testing.T, carrier mail.Carrier) {
	t.Helper()
	s := mail.NewSender(r.outbox, carrier, zerolog.Nop())
	must(t, s.Start())
	t.Cleanup(func() { must(t, s.Stop(context.Background())) })
}

// carrier counts the messages that it gets, and fails while a test tells it to.
type carrier struct {
	mu      sync.Mutex
	given   map[string]int
	failing atomic.Bool
	tried   chan string
}

func newCarrier() *carrier {
	return &carrier{given: map[string]int{}, tried: make(chan string, 1000)}
}

func (c *carrier) Carry(_ context.Context, m mail.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried <- m.ID
	if c.failing.Load() {
		return errors.New("no route")
	}
	c.given[m.ID]++
	return nil
}

func (c *carrier) awaits(t testing.TB) string {
	t.Helper()
	select {
	case id := <-c.tried:
		return id
	case <-time.After(patience):
		t.Fatal("nothing was carried")
		return ""
	}
}

// forgetful is a store in which recording that a message was carried fails while a test tells
// it to.
type forgetful struct {
	*account.Store
	carried *carrier // a transaction after it got a message may be the one that records it
	failing atomic.Bool
	failed  chan struct{} // gets one element for each such transaction that failed
}

var errForgetful = errors.New("the disk is full")

func (f *forgetful) Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	f.carried.mu.Lock()
	after := len(f.carried.given) > 0
	f.carried.mu.Unlock()
	if after && f.failing.Load() {
		select {
		case f.failed <- struct{}{}:
		default:
		}
		return errForgetful
	}
	return f.Store.Transact(ctx, do)
}

// Meanwhile the lease may end, and the sender may be stopped and started again.
func TestAMailWhoseNoteFailsIsNotedLaterAndNotSentAgain(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		c := newCarrier()
		store := &forgetful{Store: r.store, carried: c, failed: make(chan struct{})}
		store.failing.Store(true)
		outbox, err := mail.NewOutbox(store, func() time.Time { return *r.clock.Load() })
		must(t, err)
		r.enqueue(t, message("a"))
		s := mail.NewSender(outbox, c, zerolog.Nop())
		for _, late := range []time.Duration{0, time.Minute, time.Hour} {
			must(t, s.Start())
			t.Cleanup(func() { must(t, s.Stop(context.Background())) })
			<-store.failed
			r.setClock(noon.Add(late))
			<-store.failed
			must(t, s.Stop(t.Context()))
		}
		store.failing.Store(false)
		r.enqueue(t, message("b"))
		must(t, s.Start())
		waittest.Until(t, "both are erased", func() bool { return strings.Count(strings.Join(r.rows(t), "\n"), " erased ") == 2 })
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.given["a"] != 1 || c.given["b"] != 1 {
			t.Errorf("they were carried %v times", c.given)
		}
	})
}

func message(id string) mail.Message {
	return mail.Message{ID: id, To: "ana@example.cl", Subject: "Año nuevo", Text: "Hola: http://127.0.0.1/x?token=s3cret&y=1\n",
		HTML: "<p>Hola</p>", Unsubscribe: "https://funds.example.org/u?token=t"}
}

// rows gives the rows of the table as text.
func (r *rig) rows(t testing.TB) (found []string) {
	t.Helper()
	rows, err := r.raw.QueryContext(t.Context(), "SELECT id, recipient, COALESCE(sealed, 'erased'), attempts, due_at FROM outbox ORDER BY id")
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	for rows.Next() {
		var id, recipient, sealed string
		var attempts, due int64
		must(t, rows.Scan(&id, &recipient, &sealed, &attempts, &due))
		found = append(found, fmt.Sprintf("%s %s %s attempts=%d due=%s", id, recipient, sealed, attempts, time.UnixMilli(due).UTC().Format(time.RFC3339)))
	}
	must(t, rows.Err())
	return found
}

func TestAMessageOfOneIDIsCarriedOnceByHoweverManySenders(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		c := newCarrier()
		for range 3 {
			r.send(t, c)
		}
		const messages = 40
		for i := range messages {
			r.enqueue(t, message(fmt.Sprintf("m-%d", i)), message(fmt.Sprintf("m-%d", i)))
		}
		for range messages {
			c.awaits(t)
		}
		waittest.Until(t, "all are erased", func() bool {
			rows := strings.Join(r.rows(t), "\n")
			return strings.Count(rows, " erased ") == messages
		})
		r.enqueue(t, message("m-0"), message("last"))
		if got := c.awaits(t); got != "last" {
			t.Errorf("%s was carried again", got)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for id, times := range c.given {
			if times != 1 {
				t.Errorf("%s was carried %d times", id, times)
			}
		}
	})
}

func TestAMessageIsEnqueuedWithItsCauseOrNotAtAll(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		broken := errors.New("the cause failed")
		err := r.store.Transact(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			must(t, r.outbox.Enqueue(t.Context(), tx, message("a")))
			return broken
		})
		if !errors.Is(err, broken) || len(r.rows(t)) != 0 {
			t.Errorf("%v, and %d messages wait", err, len(r.rows(t)))
		}
	})
}

func TestWhatAWaitingMessageSaysCanNotBeReadInTheDatabase(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		r.enqueue(t, message("a"), message("b"))
		rows := r.rows(t)
		text := strings.Join(rows, "\n")
		// Each text is longer than encrypted text contains by chance, or has other characters.
		for _, said := range []string{"s3cret", "ana@", "Hola: ", "x?token", "http:", base64.StdEncoding.EncodeToString([]byte("Hola: http"))[:12]} {
			if strings.Contains(text, said) {
				t.Errorf("%q can be read: %s", said, text)
			}
		}
		if len(rows) != 2 || !strings.HasPrefix(rows[0], "a ") {
			t.Fatalf("the check sees nothing: %q", rows)
		}
		// An encrypted message that is moved to another row can't be decrypted.
		_, err := r.raw.ExecContext(t.Context(), "UPDATE outbox SET sealed = (SELECT sealed FROM outbox WHERE id = 'a') WHERE id = 'b'")
		must(t, err)
		c := newCarrier()
		r.send(t, c)
		if got := c.awaits(t); got != "a" {
			t.Errorf("%s was carried", got)
		}
		waittest.Until(t, "the other was tried", func() bool { return strings.Contains(r.rows(t)[1], "attempts=1") })
		if got := r.rows(t)[1]; strings.Contains(got, "erased") {
			t.Errorf("a message that is none was carried: %s", got)
		}
	})
}

func TestAMessageThatCanNotBeCarriedIsTriedAgainLaterEachTime(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		c := newCarrier()
		c.failing.Store(true)
		r.send(t, c)
		r.enqueue(t, message("a"))
		wait := 30 * time.Second
		for attempt := 1; attempt <= 4; attempt++ {
			c.awaits(t)
			due := r.clock.Load().Add(wait)
			want := fmt.Sprintf("attempts=%d due=%s", attempt, due.Format(time.RFC3339))
			waittest.Until(t, want, func() bool { return strings.HasSuffix(r.rows(t)[0], want) })
			wait *= 2
			if attempt == 4 {
				c.failing.Store(false)
			}
			r.setClock(due)
		}
		c.awaits(t)
		waittest.Until(t, "it is erased", func() bool { return strings.Contains(r.rows(t)[0], " erased ") })
	})
}

// expiring gives a message that expires at an instant.
func expiring(id string, at time.Time) mail.Message {
	m := message(id)
	m.Expires = at
	return m
}

// ids lists the ids in the table.
func (r *rig) ids(t testing.TB) string {
	t.Helper()
	var ids []string
	for _, row := range r.rows(t) {
		id, _, _ := strings.Cut(row, " ")
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

func TestAMailThatExpiresLeavesNothingOnceItIsDoneWith(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		in15 := noon.Add(15 * time.Minute)
		r.enqueue(t, expiring("carried", in15), expiring("late", noon.Add(20*time.Second)), expiring("over", noon), expiring("refused", in15), message("stays"))
		given := make(chan string, 10)
		r.send(t, carrierFunc(func(_ context.Context, m mail.Message) error {
			given <- m.ID
			switch m.ID {
			case "late": // the next attempt would be after the expiry
				return errors.New("no route")
			case "refused":
				return &mail.Refusal{Reason: "no"}
			}
			return nil
		}))
		waittest.Until(t, "what stays is erased", func() bool {
			rows := r.rows(t)
			return len(rows) == 1 && strings.HasPrefix(rows[0], "stays ") && strings.Contains(rows[0], " erased attempts=1 ")
		})
		close(given)
		for id := range given {
			if id == "over" {
				t.Error("a mail was sent when it had expired")
			}
		}
	})
}

// No message is due again before it has expired, whichever process took it last.
func TestALinkIsNotSentOnTheDayThatACarrierIsThere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		r.send(t, nil) // without a carrier, only old messages are removed
		r.enqueue(t, expiring("link", noon.Add(15*time.Minute)), message("alert"))
		r.setClock(noon.Add(15 * time.Minute))
		waittest.Until(t, "the link goes", func() bool { return r.ids(t) == "alert" })
		// Between two sweeps it is not taken either.
		c := newCarrier()
		r.send(t, c)
		if got := c.awaits(t); got != "alert" {
			t.Fatalf("%s was carried", got)
		}
		r.enqueue(t, expiring("over", noon.Add(15*time.Minute)), message("other"))
		if got := c.awaits(t); got != "other" {
			t.Errorf("%s was carried", got)
		}
	})
}

func TestMailsOfThePastAreForgotten(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		const day = 24 * time.Hour
		c := newCarrier()
		s := mail.NewSender(r.outbox, c, zerolog.Nop())
		must(t, s.Start())
		r.enqueue(t, message("carried"))
		c.awaits(t)
		waittest.Until(t, "it is erased", func() bool { return strings.Contains(r.rows(t)[0], " erased ") })
		must(t, s.Stop(t.Context()))
		r.enqueue(t, message("waiting"))
		r.setClock(noon.Add(31 * day))
		r.enqueue(t, message("young"))
		r.send(t, c)
		if got := c.awaits(t); got != "young" {
			t.Errorf("%s was sent a month later", got)
		}
		waittest.Until(t, "all are erased", func() bool { return strings.Count(strings.Join(r.rows(t), "\n"), " erased ") == 3 })
		r.setClock(noon.Add(180*day - time.Hour))
		r.enqueue(t, message("carried"), message("waiting"), message("last"))
		if got := c.awaits(t); got != "last" {
			t.Errorf("%s was sent again", got)
		}
		r.setClock(noon.Add(180 * day))
		waittest.Until(t, "the ids go", func() bool { return r.ids(t) == "last young" })
	})
}

func TestWhatCouldReachBeyondItsPlaceIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*mail.Message){
		"no id":                       func(m *mail.Message) { m.ID = "" },
		"an id that is a path":        func(m *mail.Message) { m.ID = "../x" },
		"an id that hides":            func(m *mail.Message) { m.ID = ".x" },
		"a line in the recipient":     func(m *mail.Message) { m.To += "\r\nBcc: eva@example.cl" },
		"two recipients":              func(m *mail.Message) { m.To += ",eva@example.cl" },
		"a name before the recipient": func(m *mail.Message) { m.To = "Ana <ana@example.cl>" },
		"no recipient":                func(m *mail.Message) { m.To = "" },
		"a line in the subject":       func(m *mail.Message) { m.Subject += "\nBcc: eva@example.cl" },
		"no text":                     func(m *mail.Message) { m.Text = "" },
		"too much text":               func(m *mail.Message) { m.Text = strings.Repeat("x", 1<<20) },
		"a line in the unsubscribe":   func(m *mail.Message) { m.Unsubscribe += "\r\nX: y" },
		"two unsubscribes":            func(m *mail.Message) { m.Unsubscribe += ">,<mailto:x" },
	} {
		m := message("a")
		spoil(&m)
		if _, err := mail.Compose("cuota@example.org", m, noon); err == nil {
			t.Errorf("%s: composed", name)
		} else if strings.Contains(err.Error(), "eva") || strings.Contains(err.Error(), "ana") {
			t.Errorf("%s: the error repeats it: %v", name, err)
		}
	}
	if _, err := mail.Compose("not an address", message("a"), noon); err == nil {
		t.Error("composed from no address")
	}
}

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
	for _, want := range []struct{ kind, text string }{{"text/plain", message("").Text}, {"text/html", message("").HTML}} {
		part, err := parts.NextRawPart()
		must(t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		must(t, err)
		if !strings.HasPrefix(part.Header.Get("Content-Type"), want.kind) || strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")) != strings.TrimSpace(want.text) {
			t.Errorf("%s of %s: %q", part.Header.Get("Content-Type"), kind, text)
		}
	}
	if !strings.Contains(logged.String(), `"link":"http://127.0.0.1/x?token=s3cret&y=1"`) {
		t.Errorf("the link is not in the log: %s", &logged)
	}
}

// to gives a message to an address.
func to(address, id string) mail.Message {
	m := message(id)
	m.To = address
	return m
}

func TestTheMailsToAnAddressAreErasedFromTheFolder(t *testing.T) {
	var logged bytes.Buffer
	folder := filepath.Join(t.TempDir(), "mails")
	c, err := mail.NewFolder(folder, "Fondos <ana@example.cl>", zerolog.New(&logged)) // the sender's address may be any address
	must(t, err)
	must(t, c.Erase(t.Context(), "ana@example.cl")) // no mail was ever written
	long := strings.Repeat("x", 60) + "@" + strings.Repeat(strings.Repeat("y", 60)+".", 3) + "cl"
	for id, address := range map[string]string{
		"a-1": "ana@example.cl", "a-2": "ana@example.cl", "near-1": "mariana@example.cl", "near-2": "ana@example.cl.example.org", "long": long,
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
			waittest.Until(t, "the other mail is noted", func() bool { return strings.Contains(strings.Join(r.rows(t), ""), " erased ") })
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

// recaller is a carrier that records the messages that it must withdraw.
type recaller struct {
	*carrier
	recalled chan string
}

func (r recaller) Recall(id string) error {
	r.recalled <- id
	return nil
}

// The row of a link is deleted when it is recorded, so a missing row does not show who deleted
// it.
func TestAMailThatIsRemovedBeforeALateNoteIsTakenBackUnlessItExpires(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		for _, one := range []struct {
			removed mail.Message
			want    int // number of recalls
		}{{message("news"), 1}, {expiring("link", noon.Add(time.Hour)), 0}} {
			c := recaller{newCarrier(), make(chan string, 10)}
			store := &forgetful{Store: r.store, carried: c.carrier, failed: make(chan struct{})}
			store.failing.Store(true)
			outbox, err := mail.NewOutbox(store, func() time.Time { return *r.clock.Load() })
			must(t, err)
			r.enqueue(t, one.removed)
			s := mail.NewSender(outbox, c, zerolog.Nop())
			must(t, s.Start())
			<-store.failed
			_, err = r.raw.ExecContext(t.Context(), "DELETE FROM outbox")
			must(t, err)
			store.failing.Store(false)
			r.enqueue(t, message("last"))
			waittest.Until(t, "the next mail is noted", func() bool { return strings.Contains(strings.Join(r.rows(t), ""), " erased ") })
			must(t, s.Stop(t.Context()))
			close(c.recalled)
			recalls := 0
			for id := range c.recalled {
				if recalls++; id != one.removed.ID {
					t.Errorf("%s was taken back", id)
				}
			}
			if recalls != one.want {
				t.Errorf("%s was taken back %d times, want %d", one.removed.ID, recalls, one.want)
			}
			_, err = r.raw.ExecContext(t.Context(), "DELETE FROM outbox")
			must(t, err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package area_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/waittest"
)

// Erasing covers everything that was written before, in the database and in mail files. Mails
// to other people stay.
func TestWhoLeavesIsInNoFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mails")
	r := newRig(t, options{folder: folder})
	b := r.browser(t)
	mailed := func(address string, want int) (links []*url.URL) {
		t.Helper()
		waittest.Until(t, "the mails are written", func() bool {
			links = nil
			files, err := filepath.Glob(filepath.Join(folder, "*.eml"))
			must(t, err)
			for _, file := range files {
				content, err := os.ReadFile(file)
				must(t, err)
				if strings.Contains(string(content), "To: <"+address+">") {
					links = append(links, mustURL(t, linkForm.FindString(textOf(t, file))))
				}
			}
			return len(links) == want
		})
		return links
	}
	const ana, eva = "ana@example.cl", "mariana@example.cl"
	b.form("/register", "email", eva).want(http.StatusSeeOther)
	mailed(eva, 1)
	b.form("/register", "email", ana).want(http.StatusSeeOther)
	mailed(ana, 1)
	b.form("/sign-in", "email", ana, "return_url", r.base+"/account").want(http.StatusSeeOther)
	for _, link := range mailed(ana, 2) {
		b.form(link.Path, "token", link.Query().Get("token"))
	}
	b.get("/api/me").want(http.StatusOK)
	b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	mailed(ana, 0)
	mailed(eva, 1)
	for name, content := range databaseFiles(t, r) {
		if strings.Contains(strings.ReplaceAll(content, eva, ""), ana) {
			t.Errorf("the address is still in %s", name)
		}
	}
}

// brokenFiles is a mail folder whose Erase fails.
type brokenFiles struct{}

func (brokenFiles) Erase(context.Context, string) error { return errors.New("the disk is gone") }

func TestWhileMailFilesCanNotBeErasedNothingIs(t *testing.T) {
	r := newRig(t, options{files: brokenFiles{}})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	if got := b.do(http.MethodDelete, "/api/me", "",
		"").want(http.StatusServiceUnavailable); got.code() != "accounts_unavailable" {
		t.Errorf("%s", got.body)
	}
	b.get("/api/me").want(http.StatusOK)
	if !strings.Contains(r.logged.String(), "the disk is gone") {
		t.Error("the log does not say why")
	}
}

// countedFiles is a mail folder whose Erase succeeds once. It records whether the account
// existed at each call.
type countedFiles struct {
	there func() bool
	calls []bool
}

func (f *countedFiles) Erase(context.Context, string) error {
	if f.calls = append(f.calls, f.there()); len(f.calls) > 1 {
		return errors.New("the disk is gone")
	}
	return nil
}

// The database can't be scrubbed while a transaction reads its old state.
func TestWhatFailsAfterTheAccountIsGoneIsForTheOperator(t *testing.T) {
	files := &countedFiles{}
	r := newRig(t, options{files: files, timeout: 2 * time.Second})
	b := r.browser(t)
	b.signIn("ana@example.cl")
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(r.files, "accounts.db")+"?_busy_timeout=60000")
	must(t, err)
	t.Cleanup(func() { must(t, raw.Close()) })
	accounts := func(from interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}) (n int) {
		must(t, from.QueryRowContext(t.Context(),
			"SELECT count(*) FROM accounts WHERE email = 'ana@example.cl'").Scan(&n))
		return n
	}
	files.there = func() bool { return accounts(raw) == 1 }
	reader, err := raw.BeginTx(t.Context(), nil)
	must(t, err)
	accounts(reader)
	got := b.do(http.MethodDelete, "/api/me", "", "").want(http.StatusNoContent)
	must(t, reader.Rollback())
	if !slices.Equal(files.calls, []bool{true, false}) {
		t.Errorf("when the mail files were erased, the account was there: %v; want it before, and gone after",
			files.calls)
	}
	if b.cookie("__Host-cuota-session") != "" || got.body != "" {
		t.Errorf("the cookie is left, or something is said: %q", got.body)
	}
	b.get("/api/me").want(http.StatusUnauthorized)
	for _, said := range []string{"restart the server", "the disk is gone",
		"delete them from the mail folder by hand"} {
		if !strings.Contains(r.logged.String(), said) {
			t.Errorf("the log does not say %q", said)
		}
	}
}

// databaseFiles returns the contents of the database's files.
func databaseFiles(t testing.TB, r *rig) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(r.files)
	must(t, err)
	found := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(r.files + "/" + entry.Name())
		must(t, err)
		found[entry.Name()] = string(content)
	}
	return found
}

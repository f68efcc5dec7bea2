package area_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/account"
)

func TestAPersonSeesWhatEachKeyIsFor(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	free := b.register("ana@example.cl")
	desk, _, err := r.store.CreateKey(t.Context(), "ana@example.cl", account.Institutional, account.Named("desk"),
		account.ForScopes("read bulk"))
	must(t, err)
	rotated, _, old, err := r.store.RotateKey(t.Context(), desk[len(desk)-4:], time.Hour)
	must(t, err)
	b.signIn("ana@example.cl")

	type key struct {
		Last4     string     `json:"last4"`
		Name      *string    `json:"name"`
		Scopes    []string   `json:"scopes"`
		ExpiresAt *time.Time `json:"expires_at"`
	}
	last4 := func(text string) string { return text[len(text)-4:] }
	name, scopes := "desk", []string{"read", "bulk"}
	want := map[string]key{
		last4(free):    {Last4: last4(free)},
		last4(desk):    {last4(desk), &name, scopes, old.ExpiresAt},
		last4(rotated): {last4(rotated), &name, scopes, nil},
	}
	got := map[string]key{}
	for _, one := range decode[struct {
		Keys []key `json:"api_keys"`
	}](b.get("/api/me").want(http.StatusOK)).Keys {
		got[one.Last4] = one
	}
	if diff := cmp.Diff(want, got); diff != "" || old.ExpiresAt == nil {
		t.Error(diff)
	}
}

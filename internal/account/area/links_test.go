package area_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
)

// newLink is the link that a page shows.
var newLink = regexp.MustCompile(`id="link"[^>]*>https://[^/<]+(/link/[0-9A-Za-z]{43})<`)

// linkIDs are the ids in the forms of the page that revoke a link.
func (b *browser) linkIDs() (ids []string) {
	b.t.Helper()
	for _, found := range regexp.MustCompile(`name="id" value="([0-9a-f-]{36})"`).FindAllStringSubmatch(
		b.page("/account").want(http.StatusOK).body, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

func TestALinkIsMadeShownOnceListedAndRevoked(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	make := func(address, days string) answer { return b.form("/account/links", "direccion", address, "dias", days) }
	make("/api/key/info", "30").want(http.StatusUnauthorized)
	b.signIn("ana@example.cl")
	b.page("/account").want(http.StatusOK).shows("Obtenga una clave para crear enlaces")
	if got := make("/api/key/info", "30"); got.status != http.StatusUnprocessableEntity {
		t.Errorf("without a key: status %d", got.status)
	}
	key := b.register("ana@example.cl")
	b.page("/account").want(http.StatusOK).shows(`name="dias"`, `value="365"`, "Todavía no hay ninguno")

	made := make(" "+r.base+"/api/key/info?a=%3Cb%3E ", "30").want(http.StatusOK)
	made.shows("no se mostrará otra vez", "14\u00a0ago\u00a02026", "/api/key/info?a=%3Cb%3E")
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
		if got := made.header.Get(name); got != want {
			t.Errorf("the page with the link has %s %q, want %q", name, got, want)
		}
	}
	link := newLink.FindStringSubmatch(made.body)
	if link == nil {
		t.Fatalf("the page shows no link: %s", made.body)
	}
	follow := func() int { return r.browser(t).get(link[1]).status }
	page := b.page("/account").want(http.StatusOK)
	page.shows("/api/key/info?a=%3Cb%3E", "Clave …"+key[len(key)-4:], "creado el 15\u00a0jul\u00a02026", "termina el 14\u00a0ago\u00a02026",
		"sin uso")
	if strings.Contains(page.body, link[1]) {
		t.Error("the list shows the link")
	}
	if got := follow(); got != http.StatusOK {
		t.Errorf("the link gives %d", got)
	}
	b.page("/account?lang=en").want(http.StatusOK).shows("last used on 15\u00a0Jul\u00a02026", "made on 15\u00a0Jul\u00a02026", "Revoke")
	b.form("/account/links/revoke", "id", b.linkIDs()[0]).want(http.StatusSeeOther)
	if got := follow(); got != http.StatusNotFound {
		t.Errorf("a revoked link gives %d", got)
	}
	if ids := b.linkIDs(); len(ids) != 0 {
		t.Errorf("a revoked link is listed: %v", ids)
	}
	b.form("/account/links/revoke", "id", "\x00\xff").want(http.StatusSeeOther) // and changes nothing
}

func TestALinkThatCanNotBeMadeIsExplainedBesideItsField(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	key := b.register("ana@example.cl")
	b.signIn("ana@example.cl")
	for _, c := range []struct{ address, days, field, said string }{
		{"", "1", "direccion", "empieza con /api/"},
		{"/fondos", "1", "direccion", "empieza con /api/"},
		{"https://evil.example/api/screener", "1", "direccion", "empieza con /api/"},
		{strings.Replace(r.base, "https://", "https://x@", 1) + "/api/screener", "1", "direccion", "empieza con /api/"},
		{"//evil.example/api/screener", "1", "direccion", "empieza con /api/"},
		{r.base + "//evil.example/api/screener", "1", "direccion", "empieza con /api/"},
		{"/api/" + strings.Repeat("x", 3000), "1", "direccion", "2000 caracteres"},
		{"/api/screener?q=%zz", "1", "direccion", "no están bien escritos"},
		{"/api/screener?q=\xff\x00", "1", "direccion", "no están bien escritos"},
		{"/api/screener?q=a\u202eb", "1", "direccion", "no están bien escritos"},
		{"/api/screener?api_key=" + key, "1", "direccion", "Escríbala sin ella"},
		{"/api/screener", "0", "dias", "de 1 a 1098"},
		{"/api/screener", "1099", "dias", "de 1 a 1098"},
		{"/api/screener", "-1", "dias", "de 1 a 1098"},
		{"/api/screener", "99999999999999999999", "dias", "de 1 a 1098"},
		{"/api/screener", "1.5", "dias", "de 1 a 1098"},
	} {
		got := b.form("/account/links", "direccion", c.address, "dias", c.days).want(http.StatusUnprocessableEntity)
		if !strings.Contains(got.content(), c.said) || strings.Contains(got.body, key) ||
			!regexp.MustCompile(`id="`+c.field+`"[^>]* aria-invalid="true"`).MatchString(got.body) {
			t.Errorf("%.60q for %q days: %s", c.address, c.days, got.content())
		}
	}
	got := b.form("/account/links", "direccion", `/fondos"><script>`, "dias", "7").want(http.StatusUnprocessableEntity)
	if !strings.Contains(html.UnescapeString(got.body), `value="/fondos"><script>"`) || strings.Contains(got.body, `"><script>`) ||
		!strings.Contains(got.body, `value="7"`) {
		t.Errorf("the form does not have what was typed, escaped: %s", got.content())
	}
	for range 100 {
		b.form("/account/links", "direccion", "/api/screener", "dias", "1").want(http.StatusOK)
	}
	b.form("/account/links", "direccion", "/api/screener", "dias", "1").want(http.StatusConflict).shows("cien enlaces")
	r.advance(24 * time.Hour)
	b.form("/account/links", "direccion", "/api/screener", "dias", "1").want(http.StatusOK)
}

func TestNobodyTouchesTheLinksOfAnotherAccount(t *testing.T) {
	r := newRig(t, options{})
	home, away := r.browser(t), r.browser(t)
	for b, address := range map[*browser]string{home: "ana@example.cl", away: "eva@example.cl"} {
		b.register(address)
		b.signIn(address)
	}
	made := home.form("/account/links", "direccion", "/api/key/info", "dias", "1").want(http.StatusOK)
	link, id := newLink.FindStringSubmatch(made.body)[1], home.linkIDs()[0]
	keys, err := r.store.Keys(t.Context(), r.personID(t, "ana@example.cl"))
	must(t, err)

	away.form("/account/links/revoke", "id", id).want(http.StatusSeeOther)
	r.browser(t).form("/account/links/revoke", "id", id).want(http.StatusUnauthorized)
	away.form("/account/links", "direccion", "/api/key/info", "dias", "1", "clave", keys[0].ID).
		want(http.StatusUnprocessableEntity).shows("Elija una de sus claves")
	if page := away.page("/account").want(http.StatusOK).body; strings.Contains(page, id) ||
		strings.Contains(page, "/api/key/info") || len(away.linkIDs()) != 0 {
		t.Error("another person sees the link")
	}
	if got := r.browser(t).get(link).status; got != http.StatusOK || len(home.linkIDs()) != 1 {
		t.Errorf("after the attempts the link gives %d, and its owner has %d", got, len(home.linkIDs()))
	}
	home.do(http.MethodPost, "/account/delete", "application/x-www-form-urlencoded", "").want(http.StatusOK)
	if got := r.browser(t).get(link).status; got != http.StatusNotFound {
		t.Errorf("the link of a removed account gives %d", got)
	}
}

func TestALinkIsCountedOnTheKeyThatIsChosen(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.register("ana@example.cl")
	_, etl, err := r.store.CreateKey(t.Context(), "ana@example.cl", account.Institutional, account.Named("etl <1>"),
		account.OwnQuota(777))
	must(t, err)
	_, next, _, err := r.store.RotateKey(t.Context(), etl.ID, 48*time.Hour)
	must(t, err)
	b.signIn("ana@example.cl")
	page := b.page("/account").want(http.StatusOK)
	page.shows("etl &lt;1&gt; (institucional", "termina el 17\u00a0jul\u00a02026", `<option value="`+next.ID+`"`)
	if strings.Contains(page.body, `<option value="`+etl.ID) {
		t.Error("a key that has an end can be chosen")
	}
	b.form("/account/links", "direccion", "/api/key/info", "dias", "1").want(http.StatusUnprocessableEntity).
		shows("Elija una de sus claves")
	b.form("/account/links", "direccion", "/api/key/info", "dias", "1", "clave", "\xff").
		want(http.StatusUnprocessableEntity)
	made := b.form("/account/links", "direccion", "/api/key/info", "dias", "1", "clave", next.ID).want(http.StatusOK)
	got := r.browser(t).get(newLink.FindStringSubmatch(made.body)[1]).want(http.StatusOK)
	if want := fmt.Sprintf(`"daily_quota":%d`, 777); !strings.Contains(got.body, want) {
		t.Errorf("the link is of the key %s, want %s", got.body, want)
	}
}

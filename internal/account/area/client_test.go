package area_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/testkit/openapitest"
	"cuota/query"
)

// browser is a client with cookies that sends an Origin with its writes and does not follow
// redirects.
type browser struct {
	t      testing.TB
	rig    *rig
	client *http.Client
	origin string // of its writes
	header http.Header
}

func (r *rig) browser(t testing.TB) *browser {
	jar, err := cookiejar.New(nil)
	must(t, err)
	client := *r.server.Client()
	client.Jar = jar
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{t: t, rig: r, client: &client, origin: r.base, header: http.Header{}}
}

// answer is a response that was checked against the document.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (b *browser) do(method, target, contentType, body string) answer {
	b.t.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.rig.base + target
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, target, strings.NewReader(body))
	must(b.t, err)
	for name, values := range b.header {
		request.Header[name] = values
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if b.origin != "" && method != http.MethodGet && method != http.MethodHead {
		request.Header.Set("Origin", b.origin)
	}
	response, err := b.client.Do(request)
	must(b.t, err)
	text, err := io.ReadAll(response.Body)
	must(b.t, err)
	must(b.t, response.Body.Close())
	got := answer{b.t, response.StatusCode, response.Header, string(text)}
	if strings.HasPrefix(request.URL.Path, "/api/") && request.URL.Path != "/api/key/info" &&
		method != http.MethodHead && method != http.MethodOptions {
		got.conforms(request)
	}
	return got
}

func (b *browser) get(target string) answer {
	b.t.Helper()
	return b.do(http.MethodGet, target, "", "")
}

// page requests a page as a browser does.
func (b *browser) page(target string) answer {
	b.t.Helper()
	b.header.Set("Accept", "text/html,application/xhtml+xml")
	defer b.header.Del("Accept")
	return b.get(target)
}

func (b *browser) form(target string, pairs ...string) answer {
	b.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return b.do(http.MethodPost, target, "application/x-www-form-urlencoded", values.Encode())
}

func (b *browser) json(method, target string, body any) answer {
	b.t.Helper()
	text, err := json.Marshal(body)
	must(b.t, err)
	return b.do(method, target, "application/json", string(text))
}

// cookie returns the value of the browser's cookie for the service.
func (b *browser) cookie(name string) string {
	u, err := url.Parse(b.rig.base)
	must(b.t, err)
	for _, cookie := range b.client.Jar.Cookies(u) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// register goes through the whole registration and returns the key.
func (b *browser) register(address string) (key string) {
	b.t.Helper()
	b.form("/register", "email", address).want(http.StatusSeeOther)
	link := b.rig.linkTo(b.t, strings.ToLower(address))
	b.page(link.String()).want(http.StatusOK)
	return b.form("/register/confirm", "token", link.Query().Get("token")).want(http.StatusOK).key()
}

// signIn goes through the whole sign-in.
func (b *browser) signIn(address string) {
	b.t.Helper()
	b.form("/sign-in", "email", address, "return_url", b.rig.base+"/account").want(http.StatusSeeOther)
	link := b.rig.linkTo(b.t, strings.ToLower(address))
	b.form("/sign-in/confirm", "token", link.Query().Get("token")).want(http.StatusSeeOther)
}

// keyStatus returns the status with which the data endpoints answer a key.
func (b *browser) keyStatus(key string) int {
	b.t.Helper()
	b.header.Set("X-Api-Key", key)
	defer b.header.Del("X-Api-Key")
	return b.get("/api/key/info").status
}

func (got answer) want(status int) answer {
	got.t.Helper()
	if got.status != status {
		got.t.Fatalf("status %d, want %d: %.600s", got.status, status, got.body)
	}
	return got
}

// leadsTo expects a redirection to an address.
func (got answer) leadsTo(want string) {
	got.t.Helper()
	if to := got.want(http.StatusSeeOther).header.Get("Location"); to != want {
		got.t.Errorf("leads to %s, want %s", to, want)
	}
}

func (got answer) code() string {
	var body struct{ Code string }
	_ = json.Unmarshal([]byte(got.body), &body)
	return body.Code
}

// violation returns the first violation of a 422 response, as loc:type.
func (got answer) violation() string {
	var body struct {
		Detail []struct {
			Loc  []string
			Type string
		}
	}
	if json.Unmarshal([]byte(got.body), &body) != nil || len(body.Detail) == 0 {
		return ""
	}
	return strings.Join(body.Detail[0].Loc, ".") + ":" + body.Detail[0].Type
}

var keyForm = regexp.MustCompile(`cuota_[0-9A-Za-z]{49}`)

func (got answer) key() string {
	got.t.Helper()
	key := keyForm.FindString(got.body)
	if key == "" {
		got.t.Fatalf("no key in: %.600s", got.body)
	}
	return key
}

func decode[T any](got answer) T {
	got.t.Helper()
	var body T
	must(got.t, json.Unmarshal([]byte(got.body), &body))
	return body
}

var document = openapitest.New(query.Document(), "../../../query/examples")

// conforms checks a response of an operation against openapi.json. Pages are not in the
// document.
func (got answer) conforms(request *http.Request) {
	got.t.Helper()
	known := strings.HasPrefix(request.URL.Path, "/api/auth/") || strings.HasPrefix(request.URL.Path, "/api/me") ||
		strings.HasPrefix(request.URL.Path, "/api/alerts/")
	if !known || strings.HasPrefix(got.header.Get("Content-Type"), "text/html") ||
		got.code() == "not_found" && got.status == http.StatusNotFound && request.Method != http.MethodPost ||
		got.status == http.StatusMethodNotAllowed {
		return
	}
	document.Conforms(got.t, request, got.status, got.header, []byte(got.body))
}

package area_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/site/docspages/reference"
	"cuota/internal/site/locale"
	"cuota/internal/testkit/openapitest"
	"cuota/internal/testkit/sampletest"
	"cuota/query"
)

// The samples of the account's operations run in this order, so that each finds what it shows.
var sampledOrder = []string{
	"send_magic_link", "complete_sign_in", "watch_series", "get_watchlist", "set_alerts", "get_account",
	"unwatch_series", "rotate_webhook_secret", "get_webhooks", "enable_webhook", "get_webhook_deliveries", "test_webhook",
	"remove_webhook", "register_webhook",
	"begin_google_sign_in", "unsubscribe_from_mail", "unsubscribe_with_one_click", "sign_out", "delete_sessions",
	"delete_account",
}

// Each language signs in people of its own, because one session is of one person, and some samples
// end it.
func TestTheCodeSamplesOfTheAccountPrintTheExamples(t *testing.T) {
	google := newProvider(t)
	r := newRig(t, options{http: true, google: google.config()})
	var statuses sampletest.Statuses
	server := httptest.NewServer(statuses.Of(r.server.Config.Handler))
	t.Cleanup(server.Close)
	ref, err := reference.New(query.Document(), locale.English)
	must(t, err)
	for _, o := range ref.Operations() {
		if o.Tag == "Account" && len(o.Samples("")) > 0 &&
			!strings.Contains(" "+strings.Join(sampledOrder, " ")+" ", " "+o.ID+" ") {
			t.Errorf("the samples of %s are not run", o.ID)
		}
	}
	shown := map[string]openapitest.Operation{}
	for _, o := range document.Operations(t, func(tag string) bool { return tag == "Account" }) {
		shown[o.ID] = o
	}
	for i, language := range []string{reference.Bash, reference.Python, reference.JavaScript} {
		t.Run(language, func(t *testing.T) {
			address := fmt.Sprintf("ana%d@example.cl", i)
			session := r.signedIn(t, address)
			person := r.personID(t, address)
			key, _, err := r.store.CreateKey(t.Context(), address, account.Free)
			must(t, err)
			hook, _, err := r.hooks.Register(t.Context(), person, "https://hooks.example.org/cuota")
			must(t, err)
			r.answeredTest(t, person, hook.ID)
			newcomer := fmt.Sprintf("luz%d@example.cl", i)
			front := r.browser(t)
			front.origin = frontEnd
			front.json(http.MethodPost, "/api/auth/magic-link",
				map[string]string{"email": newcomer, "return_url": frontEnd + "/in"}).want(http.StatusAccepted)
			actual := strings.NewReplacer(
				"token-of-the-mailed-link", r.linkTo(t, newcomer).Query().Get("token"), "token-of-the-mail",
				r.store.UnsubscribeToken(person, account.Alerts), exampleHook, hook.ID,
				// so that the number of links of one address is no limit
				"ana@example.cl", fmt.Sprintf("ines%d@example.cl", i),
				r.base+"/api/", server.URL+"/api/", // where statuses are seen; the Origin stays
			)
			var programs []sampletest.Program
			for _, id := range sampledOrder {
				text := ""
				for _, s := range ref.Operation(id).Samples(r.base) {
					if s.Language == language {
						text = actual.Replace(s.Text)
					}
				}
				of := session
				if id == "delete_sessions" {
					of = r.signedIn(t, fmt.Sprintf("eva%d@example.cl", i))
				}
				programs = append(programs, sampletest.Program{Name: id, Text: text,
					Env: map[string]string{"CUOTA_SESSION": of}})
			}
			statuses.Take()
			outcomes := sampletest.Run(t, language, programs)
			answered := statuses.Take()
			r.linkTo(t, fmt.Sprintf("ines%d@example.cl", i)) // of the first sample
			if len(answered) != len(programs) {
				t.Fatalf("%d samples made %d requests: %v", len(programs), len(answered), answered)
			}
			for j, p := range programs {
				printed := withExampleHooks(strings.NewReplacer(
					person, examplePerson,
					r.personID(t, newcomer), examplePerson,
					newcomer, "ana@example.cl",
					`"last4": "`+key[len(key)-4:]+`"`, `"last4": "x7Qa"`,
					`"last4":"`+key[len(key)-4:]+`"`, exampleLast4,
					address, "ana@example.cl",
					r.base, exampleBase,
				).Replace(outcomes[j].Output))
				want := ref.Operation(p.Name).Answers[0].Status
				if fmt.Sprint(answered[j]) != want || outcomes[j].Error != "" {
					t.Errorf("%s: status %d, want %s: %s\n%s", p.Name, answered[j], want, outcomes[j].Error, p.Text)
					continue
				}
				switch {
				case want == "204":
					if strings.TrimSpace(printed) != "204" {
						t.Errorf("%s printed %q", p.Name, printed)
					}
				case p.Name == "begin_google_sign_in": // its address has random values
					if !strings.Contains(printed, `"authorization_url"`) {
						t.Errorf("%s printed %s", p.Name, printed)
					}
				default:
					document.IsExample(t, shown[p.Name], "", []byte(printed))
				}
			}
		})
	}
}

// signedIn returns the session of a person who signs in.
func (r *rig) signedIn(t *testing.T, address string) string {
	t.Helper()
	b := r.browser(t)
	b.form("/sign-in", "email", address, "return_url", r.base+"/account").want(http.StatusSeeOther)
	got := b.form("/sign-in/confirm", "token", r.linkTo(t, address).Query().Get("token")).want(http.StatusSeeOther)
	for _, cookie := range (&http.Response{Header: got.header}).Cookies() {
		if strings.HasSuffix(cookie.Name, "-session") && cookie.Value != "" {
			return cookie.Value
		}
	}
	t.Fatalf("signing in gives no session: %v", got.header)
	return ""
}

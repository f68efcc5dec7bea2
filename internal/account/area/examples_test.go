package area_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/testkit/openapitest"
)

// Fixed values in the examples for what differs from run to run.
const (
	exampleBase   = "https://cuota.example.org"
	examplePerson = "7b0c1f8e-52d4-4a39-9a55-3f1f6f0d8a21"
	exampleLast4  = `"last4":"x7Qa"`
	exampleHook   = "3f0c5d6c8c1d4d0fb1f9f2b7a4f0e6d1"
	exampleTest   = "test_9c1f0a2b3d4e5f60718293a4b5c6d7e8"
	exampleSecret = "whsec_c2hvd24tb25jZS13aGVuLWl0LWlzLW1hZGUtLS0="
)

// Each example of an operation of the area is the response to the example request. Values that
// can't be known in advance are replaced: tokens in requests by real ones, ids and addresses in
// responses by the fixed values above.
func TestTheExamplesOfTheDocumentAreAnswers(t *testing.T) {
	r, google := withGoogle(t)
	b := r.browser(t)
	b.origin = frontEnd

	left := map[string]openapitest.Operation{}
	for _, o := range document.Operations(t, func(tag string) bool { return tag == "Account" }) {
		left[o.ID] = o
	}
	ask := func(id string, status int, exampleTrue ...string) answer {
		t.Helper()
		o, documented := left[id]
		if !documented {
			t.Fatalf("the document has no operation %s", id)
		}
		contentType := ""
		if o.Body != nil {
			contentType = "application/json"
		}
		actual := strings.NewReplacer(exampleTrue...)
		return b.do(o.Method, actual.Replace(o.Target()), contentType, actual.Replace(string(o.Body))).want(status)
	}
	is := func(id string, got answer, trueExample ...string) {
		t.Helper()
		document.IsExample(t, left[id], "",
			[]byte(strings.NewReplacer(append(trueExample, r.base, exampleBase)...).Replace(got.body)))
		delete(left, id)
	}
	empty := func(id string, status int, exampleTrue ...string) {
		t.Helper()
		if got := ask(id, status, exampleTrue...); got.body != "" && status == http.StatusNoContent {
			t.Errorf("%s: %s", id, got.body)
		}
		delete(left, id)
	}

	is("send_magic_link", ask("send_magic_link", http.StatusAccepted))
	token := r.linkTo(t, "ana@example.cl").Query().Get("token")
	signedIn := ask("complete_sign_in", http.StatusOK, "token-of-the-mailed-link", token)
	person := decode[struct{ Account struct{ ID string } }](signedIn).Account.ID
	is("complete_sign_in", signedIn, person, examplePerson)

	key, _, err := r.store.CreateKey(t.Context(), "ana@example.cl", account.Free)
	must(t, err)
	is("watch_series", ask("watch_series", http.StatusOK))
	is("get_watchlist", ask("get_watchlist", http.StatusOK))
	is("set_alerts", ask("set_alerts", http.StatusOK))
	is("get_account", ask("get_account", http.StatusOK), person, examplePerson, `"last4":"`+key[len(key)-4:]+`"`,
		exampleLast4)
	empty("unwatch_series", http.StatusNoContent)

	made := ask("register_webhook", http.StatusCreated)
	hook := decode[struct{ Webhook struct{ ID string } }](made).Webhook.ID
	r.answeredTest(t, person, hook)
	for id, got := range map[string]answer{
		"register_webhook":       made,
		"rotate_webhook_secret":  ask("rotate_webhook_secret", http.StatusOK, exampleHook, hook),
		"get_webhooks":           ask("get_webhooks", http.StatusOK),
		"enable_webhook":         ask("enable_webhook", http.StatusOK, exampleHook, hook),
		"get_webhook_deliveries": ask("get_webhook_deliveries", http.StatusOK, exampleHook, hook),
		"test_webhook":           ask("test_webhook", http.StatusAccepted, exampleHook, hook),
	} {
		got.body = withExampleHooks(got.body)
		is(id, got)
	}
	empty("remove_webhook", http.StatusNoContent, exampleHook, hook)

	mailed := r.store.UnsubscribeToken(person, account.Alerts)
	empty("confirm_one_click_unsubscribe", http.StatusSeeOther, "token-of-the-mail", mailed)
	is("unsubscribe_from_mail", ask("unsubscribe_from_mail", http.StatusOK, "token-of-the-mail", mailed))
	empty("unsubscribe_with_one_click", http.StatusNoContent, "token-of-the-mail", mailed)
	empty("delete_account", http.StatusNoContent)
	empty("sign_out", http.StatusNoContent)

	begun := ask("begin_google_sign_in", http.StatusOK)
	leadsTo := decode[struct {
		URL string `json:"authorization_url"`
	}](begun).URL
	begun.body = r.googleExample(t, leadsTo)
	is("begin_google_sign_in", begun)
	google.user("ana@example.cl", true)
	back, err := url.Parse(b.page(leadsTo).want(http.StatusFound).header.Get("Location"))
	must(t, err)
	finished := ask("finish_google_sign_in", http.StatusOK,
		"code-from-google", url.QueryEscape(back.Query().Get("code")), "state-from-google",
		url.QueryEscape(back.Query().Get("state")))
	to, err := url.Parse(decode[struct {
		ReturnURL string `json:"return_url"`
	}](finished).ReturnURL)
	must(t, err)
	code := to.Query().Get("code")
	is("finish_google_sign_in", finished, code, "code-for-your-front-end")
	b.do(http.MethodPost, "/api/auth/callback", "application/json", `{"code":"`+code+`"}`).want(http.StatusOK)
	empty("delete_sessions", http.StatusNoContent)

	for id := range left {
		t.Errorf("no request shows %s", id)
	}
}

// googleExample returns the response with the address of the test's provider replaced by
// Google's, and with words instead of random values.
func (r *rig) googleExample(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	query := u.Query()
	for name, example := range map[string]string{
		"client_id": "client-id-of-the-operator", "state": "state-from-google", "nonce": "random-nonce",
		"code_challenge": "random-code-challenge",
	} {
		if query.Get(name) == "" {
			t.Fatalf("the address has no %s: %s", name, address)
		}
		query.Set(name, example)
	}
	query.Set("redirect_uri", strings.Replace(query.Get("redirect_uri"), r.base, exampleBase, 1))
	google := url.URL{Scheme: "https", Host: "accounts.google.com", Path: "/o/oauth2/v2/auth", RawQuery: query.Encode()}
	return fmt.Sprintf(`{"authorization_url": %q}`, google.String())
}

// secretIn returns the secret in an answer that shows one.
func secretIn(got answer) string { return decode[struct{ Secret string }](got).Secret }

// answered writes into the log of a webhook what a sender writes when a receiver has accepted a message.
func (r *rig) answered(t *testing.T, event string) {
	t.Helper()
	r.exec(t, `UPDATE webhook_deliveries SET due_at = NULL, attempts = 1, tried_at = $1, status = 200, reply = 'ok',
		ended = 'delivered', ended_at = $1 WHERE event_id = $2`, noon.UnixMilli(), event)
}

// answeredTest sends a test to a webhook, and lets it be accepted.
func (r *rig) answeredTest(t *testing.T, person, hook string) {
	t.Helper()
	d, err := r.hooks.Test(t.Context(), person, hook)
	must(t, err)
	r.answered(t, d.EventID)
}

var (
	hookIDs     = regexp.MustCompile(`("id": ?")[0-9a-f]{32}"`)
	testIDs     = regexp.MustCompile(`test_[0-9a-f]{32}`)
	hookSecrets = regexp.MustCompile(`whsec_[0-9A-Za-z+/]{43}=`)
)

// withExampleHooks returns an answer with the fixed ids and the secret of the examples.
func withExampleHooks(text string) string {
	text = hookIDs.ReplaceAllString(text, `${1}`+exampleHook+`"`)
	return hookSecrets.ReplaceAllLiteralString(testIDs.ReplaceAllLiteralString(text, exampleTest), exampleSecret)
}

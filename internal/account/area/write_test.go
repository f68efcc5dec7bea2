package area_test

import (
	"strings"
	"testing"

	"cuota/internal/account/area"
)

// write is one way to change something.
type write struct {
	method, path, kind, body string
}

var writes = []write{
	{"POST", "/register", "form", "email=eva%40example.cl"},
	{"POST", "/register/confirm", "form", "token=x"},
	{"POST", "/sign-in", "form", "email=eva%40example.cl&return_url=x"},
	{"POST", "/sign-in/confirm", "form", "token=x"},
	{"POST", "/account/watchlist", "form", "q=renta&serie_id=" + fundSeries},
	{"POST", "/account/watchlist/remove", "form", "serie_id=" + fundSeries},
	{"POST", "/account/watch", "form", "serie_id=" + fundSeries},
	{"POST", "/account/watch/undo", "form", "hecho=serie&serie_id=" + fundSeries},
	{"POST", "/account/screens", "form", "nombre=x&busqueda=q%3D1"},
	{"POST", "/account/screens/remove", "form", "nombre=x"},
	{"POST", "/account/links", "form", "direccion=%2Fapi%2Fscreener&dias=1"},
	{"POST", "/account/links/revoke", "form", "id=x"},
	{"POST", "/account/webhooks", "form", "direccion=https%3A%2F%2Fhooks.example.org"},
	{"POST", "/account/webhooks/test", "form", "webhook=x"},
	{"POST", "/account/webhooks/rotate", "form", "webhook=x"},
	{"POST", "/account/webhooks/enable", "form", "webhook=x"},
	{"POST", "/account/webhooks/remove", "form", "webhook=x"},
	{"POST", "/account/alerts", "form", "alerts=on"},
	{"POST", "/account/sign-out", "form", ""},
	{"POST", "/account/sign-out-everywhere", "form", ""},
	{"POST", "/account/delete", "form", ""},
	{"POST", "/unsubscribe", "form", "token=x"},
	{"POST", "/api/auth/magic-link", "json", `{"email":"eva@example.cl","return_url":"x"}`},
	{"POST", "/api/auth/callback", "json", `{"token":"x"}`},
	{"POST", "/api/auth/logout", "", ""},
	{"DELETE", "/api/me", "", ""},
	{"DELETE", "/api/me/sessions", "", ""},
	{"POST", "/api/me/watchlist", "json", `{"serie_id":"` + fundSeries + `"}`},
	{"DELETE", "/api/me/watchlist/" + fundSeries, "", ""},
	{"POST", "/api/me/webhooks", "json", `{"url":"https://hooks.example.org"}`},
	{"DELETE", "/api/me/webhooks/x", "", ""},
	{"POST", "/api/me/webhooks/x/rotate", "", ""},
	{"POST", "/api/me/webhooks/x/enable", "", ""},
	{"POST", "/api/me/webhooks/x/test", "", ""},
	{"PATCH", "/api/me/alerts", "json", `{"email_opt_in_alerts":true}`},
	{"POST", "/api/alerts/unsubscribe", "json", `{"token":"x"}`},
}

func (w write) do(b *browser) answer {
	b.t.Helper()
	return b.do(w.method, w.path, map[string]string{"form": "application/x-www-form-urlencoded",
		"json": "application/json"}[w.kind], w.body)
}

// program returns text for writes of programs and "" for those of pages.
func (w write) program(text string) string {
	if strings.HasPrefix(w.path, "/api/") {
		return text
	}
	return ""
}

// Every write is refused from foreign origins and allowed from this service. The test fails if
// the list of writes is incomplete.
func TestEveryWriteIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, w := range writes {
		tried[w.method+" "+w.path] = true
	}
	for _, op := range area.Writes() {
		path := strings.NewReplacer("{serie_id}", fundSeries, "{webhook_id}", "x").Replace(op)
		if !tried[path] && !strings.HasSuffix(path, "/one-click") {
			t.Errorf("no attack tries %s", op)
		}
	}
}

package area_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"cuota/internal/account/area"
)

// begins requests a sign-in with a context, without the network.
func (r *rig) begins(ctx context.Context) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, r.base+googleFor(r.base), nil)
	request.RemoteAddr = "192.0.2.7:1234"
	recorder := httptest.NewRecorder()
	r.server.Config.Handler.ServeHTTP(recorder, request)
	return recorder
}

func (r *rig) states(t testing.TB) (n int) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(r.files, "accounts.db")+"?_busy_timeout=60000")
	must(t, err)
	must(t, raw.QueryRowContext(t.Context(), "SELECT count(*) FROM oauth_states").Scan(&n))
	must(t, raw.Close())
	return n
}

func TestAProviderThatHangsIsAskedOnceForAllWhoWait(t *testing.T) {
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-answer
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(silent.Close)
	r := newRig(t, options{google: area.Google{Issuer: silent.URL, ClientID: "a", ClientSecret: "b"}})
	var waiting sync.WaitGroup
	for range 5 {
		waiting.Go(func() {
			if got := r.begins(t.Context()); got.Code != http.StatusServiceUnavailable {
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	}
	<-asked
	gone, leave := context.WithCancel(t.Context())
	leave()
	r.begins(gone) // a cancelled request does not wait
	close(answer)
	waiting.Wait()
	if got := r.begins(t.Context()); got.Code != http.StatusServiceUnavailable ||
		got.Header().Get("Retry-After") != "5" {
		t.Errorf("just after a failure: %d %s", got.Code, got.Body)
	}
	if len(asked) > 0 {
		t.Errorf("the provider was asked %d times more", len(asked))
	}
	r.advance(5 * time.Second)
	r.begins(t.Context())
	if len(asked) != 1 {
		t.Errorf("after a while the provider was asked %d times, want once", len(asked))
	}
	if n := r.states(t); n != 0 {
		t.Errorf("%d states are stored of sign-ins that did not begin", n)
	}
}

func TestANetworkBeginsSoManySignInsAnHour(t *testing.T) {
	r := newRig(t, options{google: newProvider(t).config()})
	b := r.browser(t)
	for range 40 {
		b.get(googleFor(r.base)).want(http.StatusOK)
	}
	refused := b.get(googleFor(r.base)).want(http.StatusTooManyRequests)
	if refused.code() != "too_many_sign_ins" || refused.header.Get("Retry-After") != "3601" {
		t.Errorf("%s", refused.body)
	}
	if n := r.states(t); n != 40 {
		t.Errorf("%d states are stored, want 40", n)
	}
	if got := r.begins(t.Context()); got.Code != http.StatusOK {
		t.Errorf("another network gets %d %s", got.Code, got.Body)
	}
	r.advance(time.Hour)
	b.get(googleFor(r.base)).want(http.StatusOK)
}

package webhook_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cuota/internal/account/accounttest"
	"cuota/internal/testkit/waittest"
	"cuota/internal/webhook"
)

// eachReceiving runs a test with a webhook of ana on every kind of account store.
func eachReceiving(t *testing.T, prove func(t *testing.T, r *rig, in *receiver, person, id, secret string)) {
	accounttest.Each(t, func(t *testing.T, db accounttest.Database) {
		r, in, person, id, secret := receiving(t, db)
		prove(t, r, in, person, id, secret)
	})
}

func TestAMessageIsSignedAndItsOutcomeIsInTheLog(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, secret string) {
		in.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "thank\r\nyou\x00\n"+strings.Repeat("x", 1<<20))
		})
		waits := r.test(t, person, id)
		if waits.Type != webhook.TestEvent || waits.Attempts != 0 || waits.NextAt == nil ||
			waits.Ended != webhook.Waiting {
			t.Errorf("before it is sent: %+v", waits)
		}
		r.send(t)
		got := in.next(t)
		if got.method != http.MethodPost || got.path != "/hook?of=ana" || got.id() != waits.EventID ||
			got.header.Get("Content-Type") != "application/json" || got.header.Get("webhook-timestamp") !=
			fmt.Sprint(noon.Unix()) || got.verifies(t, secret) != 1 {
			t.Errorf("%+v", got)
		}
		if want := `{"type":"webhook.test","timestamp":"2026-07-15T16:00:00Z","data":{}}`; got.body != want {
			t.Errorf("%s, want %s", got.body, want)
		}
		changed := got
		changed.body = strings.Replace(got.body, "test", "text", 1)
		if changed.verifies(t, secret) != 0 {
			t.Error("a changed message has a right signature: the verifier checks nothing")
		}
		d := r.untilTried(t, person, id, 1)
		if d.Ended != webhook.Delivered || d.Status != 202 || d.Failure != "" || d.NextAt != nil ||
			!strings.HasPrefix(d.Reply, "thank you xxx") || len(d.Reply) != 200 {
			t.Errorf("%+v", d)
		}
	})
}

func TestAReceiverCanNotKeepASenderByAnUpgrade(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, _ string) {
		in.answers(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = conn.Close() }) // the receiver itself leaves the connection open
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		})
		r.test(t, person, id)
		stop := r.send(t)
		in.next(t)
		if d := r.untilTried(t, person, id, 1); d.Status != 101 || d.Failure != webhook.FailedStatus {
			t.Errorf("%+v", d)
		}
		stop()
	})
}

func TestAFailedMessageIsTriedAgainUnderItsIDUntilAccepted(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, secret string) {
		batchID := r.enqueue(t, 1)
		r.send(t)
		in.answersWith(http.StatusInternalServerError)
		var first arrived
		for attempt, pause := range []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute} {
			got := in.next(t)
			if attempt == 0 {
				first = got
			}
			if got.id() != "batch_"+batchID || got.body != first.body || got.verifies(t, secret) != 1 ||
				got.header.Get("webhook-timestamp") != fmt.Sprint(r.now().Unix()) {
				t.Errorf("attempt %d: %+v", attempt+1, got)
			}
			d := r.untilTried(t, person, id, int64(attempt+1))
			if wait := d.NextAt.Sub(r.now()); d.Status != 500 || d.Failure != webhook.FailedStatus || wait < pause ||
				wait > pause+pause/10 {
				t.Errorf("attempt %d: again in %s: %+v", attempt+1, wait, d)
			}
			if w, _ := r.log(t, person, id); w.FailingSince == nil || !w.FailingSince.Equal(noon) {
				t.Errorf("failing since %v", w.FailingSince)
			}
			r.setClock(*d.NextAt)
			if attempt == 1 {
				in.answersWith(http.StatusNoContent)
				break
			}
		}
		in.next(t)
		d := r.untilTried(t, person, id, 3)
		if w, _ := r.log(t, person, id); d.Ended != webhook.Delivered || d.Failure != "" || w.FailingSince != nil {
			t.Errorf("%+v of %+v", d, w)
		}
	})
}

func TestAMessageIsGivenUpAndLongFailureDisables(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, _ string) {
		in.answersWith(http.StatusNotFound)
		r.send(t)
		// exhausted lets all attempts of a message fail.
		exhausted := func(number int) webhook.Delivery {
			t.Helper()
			r.enqueue(t, number)
			for attempt := int64(1); ; attempt++ {
				in.next(t)
				d := r.untilTried(t, person, id, attempt)
				if d.NextAt == nil {
					return d
				}
				r.setClock(*d.NextAt)
			}
		}
		if d := exhausted(1); d.Attempts != 10 || d.Ended != webhook.GivenUp || d.Status != 404 {
			t.Errorf("%+v", d)
		}
		if w, _ := r.log(t, person, id); w.DisabledAt != nil {
			t.Errorf("disabled after %s", r.now().Sub(noon))
		}
		exhausted(2)
		w, _ := r.log(t, person, id)
		if w.DisabledAt == nil || w.DisabledReason != "failing" || r.now().Sub(noon) < 5*24*time.Hour {
			t.Errorf("after %s: %+v", r.now().Sub(noon), w)
		}
		r.enqueue(t, 3)
		if _, list := r.log(t, person, id); len(list) != 2 {
			t.Errorf("a disabled webhook has %d deliveries", len(list))
		}
		if _, err := r.hooks.Test(t.Context(), person, id); err == nil {
			t.Error("a disabled webhook is tested")
		}
		w, err := r.hooks.Enable(t.Context(), person, id)
		must(t, err)
		if w.DisabledAt != nil || w.FailingSince != nil || w.DisabledReason != "" {
			t.Errorf("%+v", w)
		}
		in.answersWith(http.StatusOK)
		r.test(t, person, id)
		in.next(t)
	})
}

func TestGoneDisablesAtOnceAndEndsWhatWaits(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, _ string) {
		in.answersWith(http.StatusInternalServerError)
		r.enqueue(t, 1)
		r.send(t)
		in.next(t)
		r.untilTried(t, person, id, 1)
		in.answersWith(http.StatusGone)
		r.test(t, person, id)
		in.next(t)
		waittest.Until(t, "the webhook is disabled", func() bool {
			w, _ := r.log(t, person, id)
			return w.DisabledAt != nil && w.DisabledReason == "gone"
		})
		outcomes := map[string]webhook.Outcome{}
		_, list := r.log(t, person, id)
		for _, d := range list {
			outcomes[d.Type] = d.Ended
		}
		if outcomes[webhook.TestEvent] != webhook.GivenUp || outcomes[webhook.BatchPublished] != webhook.Disabled {
			t.Errorf("%v", outcomes)
		}
	})
}

func TestARedirectIsAFailureAndNotFollowed(t *testing.T) {
	r, in, person, id, _ := receiving(t, accounttest.SQLite(t))
	other := newReceiver(t)
	r.send(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		in.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL+"/elsewhere")
			w.WriteHeader(status)
		})
		sent := r.test(t, person, id)
		in.next(t)
		d := r.until(t, person, id, "it is tried", func(d webhook.Delivery) bool {
			return d.EventID == sent.EventID && d.Ended != webhook.Waiting
		})
		if d.Status != int64(status) || d.Failure != webhook.FailedRedirect {
			t.Errorf("%+v", d)
		}
		r.advance(time.Second)
	}
	if len(other.got) > 0 {
		t.Error("a redirect was followed")
	}
}

func TestAfterARotationBothSecretsSignForADay(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, old string) {
		r.send(t)
		w, second, err := r.hooks.Rotate(t.Context(), person, id)
		must(t, err)
		if second == old || w.ReplacedUntil == nil || !w.ReplacedUntil.Equal(noon.Add(24*time.Hour)) {
			t.Errorf("%+v", w)
		}
		signs := func(want map[string]int, signatures int) {
			t.Helper()
			r.test(t, person, id)
			got := in.next(t)
			if n := len(strings.Fields(got.header.Get("webhook-signature"))); n != signatures {
				t.Errorf("%d signatures, want %d", n, signatures)
			}
			for secret, times := range want {
				if n := got.verifies(t, secret); n != times {
					t.Errorf("one of the secrets has signed %d times, want %d", n, times)
				}
			}
			r.untilTried(t, person, id, 1)
		}
		signs(map[string]int{old: 1, second: 1}, 2)
		r.advance(24*time.Hour - time.Second)
		signs(map[string]int{old: 1, second: 1}, 2)
		r.advance(time.Second)
		signs(map[string]int{old: 0, second: 1}, 1)
		if w, _ := r.log(t, person, id); w.ReplacedUntil != nil {
			t.Errorf("%+v", w)
		}
		r.advance(10 * time.Minute)
		waittest.Until(t, "the old secret is deleted", func() bool {
			return r.count(t, "SELECT count(*) FROM webhook_secrets") == 1
		})
	})
}

func TestSendersInParallelSendEachAttemptOnce(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, _ string) {
		r.withBatches(t)
		var mu sync.Mutex
		seen := map[string]int{}
		in.answers(func(w http.ResponseWriter, q *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			// each message is refused once, so that it has two attempts
			if seen[q.Header.Get("webhook-id")]++; seen[q.Header.Get("webhook-id")] == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		const batches = 20
		for i := range batches {
			r.publish(t, 1+i, "2026-07-14", noon)
		}
		var announcing sync.WaitGroup
		for range 3 {
			announcing.Go(func() {
				if err := r.announcer(t).Look(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		announcing.Wait()
		var stops []func()
		for range 3 {
			stops = append(stops, r.send(t))
		}
		waittest.Until(t, "every message was refused once", func() bool {
			return r.count(t, "SELECT count(*) FROM webhook_deliveries WHERE failure = 'status'") == batches
		})
		r.advance(10 * time.Second)
		waittest.Until(t, "every message has arrived", func() bool {
			return r.count(t, "SELECT count(*) FROM webhook_deliveries WHERE ended = 'delivered'") == batches
		})
		for _, stop := range stops {
			stop()
		}
		if len(seen) != batches {
			t.Errorf("%d messages arrived", len(seen))
		}
		for id, times := range seen {
			if times != 2 {
				t.Errorf("%s was sent %d times, want 2", id, times)
			}
		}
		_, list := r.log(t, person, id)
		for _, d := range list {
			if d.Attempts != 2 {
				t.Errorf("%+v", d)
			}
		}
	})
}

// A process that ends while it sends leaves a lease. When the lease has ended, another one sends the same message.
func TestAMessageOfAProcessThatEndedIsSentByAnother(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, person, id, secret string) {
		held := make(chan struct{})
		in.answers(func(_ http.ResponseWriter, q *http.Request) {
			select {
			case <-held:
			case <-q.Context().Done():
			}
		})
		r.test(t, person, id)
		stop := r.send(t)
		first := in.next(t)
		stop() // after some seconds it cuts the request off
		close(held)
		d := r.until(t, person, id, "the lease is left", func(d webhook.Delivery) bool { return d.Attempts == 1 })
		if d.Ended != webhook.Waiting || d.TriedAt != nil || !d.NextAt.Equal(noon.Add(time.Minute)) {
			t.Errorf("%+v", d)
		}
		r.send(t)
		r.advance(time.Minute)
		again := in.next(t)
		if again.id() != first.id() || again.body != first.body || again.verifies(t, secret) != 1 {
			t.Errorf("%+v, want %+v", again, first)
		}
		if d := r.untilTried(t, person, id, 2); d.Ended != webhook.Delivered {
			t.Errorf("%+v", d)
		}
	})
}

func TestAReceiverThatDoesNotAnswerWellIsNamedInTheLog(t *testing.T) {
	r, in, person, _, _ := receiving(t, accounttest.SQLite(t))
	closed := newReceiver(t)
	stranger := newReceiver(t) // with another authority
	closed.Close()
	in.answers(func(w http.ResponseWriter, q *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if q.URL.Path == "/headers" {
			_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
		}
		_ = connection.Close()
	})
	r.send(t)
	for address, want := range map[string]webhook.Failure{
		in.URL + "/cut": webhook.FailedReply, in.URL + "/headers": webhook.FailedReply, closed.URL: webhook.FailedConnect,
		stranger.URL: webhook.FailedTLS, "https://no-such-host.invalid/": webhook.FailedName,
	} {
		id, _ := r.register(t, person, address)
		r.test(t, person, id)
		if d := r.untilTried(t, person, id, 1); d.Failure != want || d.Status != 0 || d.Ended != webhook.GivenUp {
			t.Errorf("%s: %+v, want %s", address, d, want)
		}
		must(t, r.hooks.Remove(t.Context(), person, id))
	}
}

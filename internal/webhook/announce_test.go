package webhook_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"cuota/internal/webhook"
)

func TestEachPublicationIsToldToEveryWebhookOnce(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, ana, id, secret string) {
		r.withBatches(t)
		eva := r.person(t, "eva@example.cl")
		second, _ := r.register(t, eva, in.URL+"/of-eva")
		r.publish(t, 1, "2026-07-10", noon.Add(-3*24*time.Hour)) // too long ago
		first := r.publish(t, 2, "2026-07-13", noon.Add(-time.Hour))
		newest := r.publish(t, 3, "2026-07-14", noon)
		off, _ := r.register(t, eva, in.URL+"/disabled")
		_, err := r.raw.ExecContext(t.Context(), "UPDATE webhooks SET disabled_at = 1, disabled_reason = 'gone' WHERE id = $1", off)
		must(t, err)
		for range 3 {
			r.look(t)
		}
		late, _ := r.register(t, eva, in.URL+"/later")
		a := r.announcer(t)
		must(t, a.Look(t.Context()))
		must(t, a.Look(t.Context()))
		for what, id := range map[string]string{"disabled": off, "registered afterwards": late} {
			if _, list := r.log(t, eva, id); len(list) != 0 {
				t.Errorf("a webhook that was %s is told: %+v", what, list)
			}
		}
		for person, id := range map[string]string{ana: id, eva: second} {
			_, list := r.log(t, person, id)
			var ids []string
			for _, d := range list {
				ids = append(ids, d.BatchID)
			}
			if len(ids) != 2 || ids[0] != newest || ids[1] != first {
				t.Errorf("told of %q, want %q and %q", ids, newest, first)
			}
		}
		r.send(t)
		got := map[string]arrived{}
		for range 4 {
			one := in.next(t)
			got[one.path+" "+one.id()] = one
		}
		one := got["/hook?of=ana batch_"+newest]
		if one.verifies(t, secret) != 1 {
			t.Errorf("the signature is wrong: %+v", one)
		}
		var body map[string]any
		must(t, json.Unmarshal([]byte(one.body), &body))
		const want = `{"type":"batch.published","timestamp":"2026-07-15T16:00:00Z","data":{"batch_id":"20260714-3-abc",` +
			`"as_of_date":"2026-07-14","published_at":"2026-07-15T16:00:00Z","previous_batch_id":"20260713-2-abc",` +
			`"links":{"batches":"https://funds.example.org/api/batches",` +
			`"screener":"https://funds.example.org/api/screener?batch_id=20260714-3-abc",` +
			`"changes":"https://funds.example.org/api/changes?batch_id=20260714-3-abc&since=20260713-2-abc"}}}`
		if one.body != want {
			t.Errorf("%s\nwant %s", one.body, want)
		}
		if len(got) != 4 {
			t.Errorf("%d different messages arrived", len(got))
		}
	})
}

func TestABatchThatCanNotBeReadIsNotTold(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, _ *receiver, person, id, _ string) {
		r.withBatches(t)
		r.publish(t, 1, "2026-07-13", noon)
		r.publish(t, 2, "2026-07-14", noon)
		must(t, r.conn.Exec(t.Context(), "INSERT INTO batch_damage (batch) VALUES (2)"))
		r.look(t)
		_, list := r.log(t, person, id)
		if len(list) != 1 || list[0].BatchID != "20260713-1-abc" {
			t.Errorf("%+v", list)
		}
	})
}

func TestTheFirstBatchHasNoChangesAndMayHaveNoCutoff(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, in *receiver, _, _, _ string) {
		r.withBatches(t)
		must(t, r.conn.Exec(t.Context(), `INSERT INTO batch (batch, batch_id, as_of_date, calculation_date, calculated_at,
			input_fingerprint) VALUES (1, 'none-1', NULL, '2026-07-15', '2026-07-15 16:00:00.000',
			'`+strings.Repeat("f", 64)+`')`))
		r.look(t)
		r.send(t)
		if got := in.next(t); !strings.Contains(got.body, `"as_of_date":null`) ||
			!strings.Contains(got.body, `"previous_batch_id":null`) || !strings.Contains(got.body, `"changes":null`) {
			t.Error(got.body)
		}
	})
}

// A look that fails half-way is finished by the next one, of another process too.
func TestALookThatIsCutOffIsFinishedByTheNext(t *testing.T) {
	eachReceiving(t, func(t *testing.T, r *rig, _ *receiver, person, id, _ string) {
		r.withBatches(t)
		r.publish(t, 1, "2026-07-13", noon)
		r.publish(t, 2, "2026-07-14", noon)
		brittle := &dying{Store: r.store, left: 1}
		hooks, err := webhook.New(r.config, brittle)
		must(t, err)
		if err := webhook.NewAnnouncer(hooks, r.conn, nop).Look(t.Context()); err == nil {
			t.Fatal("the look did not fail")
		}
		if _, list := r.log(t, person, id); len(list) != 1 {
			t.Fatalf("%d deliveries before the second look", len(list))
		}
		r.look(t)
		if _, list := r.log(t, person, id); len(list) != 2 {
			t.Errorf("%d deliveries", len(list))
		}
	})
}

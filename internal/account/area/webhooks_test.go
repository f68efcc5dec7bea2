package area_test

import (
	"context"
	"database/sql"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"cuota/internal/webhook"

	"github.com/google/go-cmp/cmp"
)

// hookOut is what a program reads of a webhook.
type hookOut struct {
	ID         string
	Attributes struct {
		URL        string
		EventTypes []string `json:"event_types"`
		Enabled    bool
		Reason     *string    `json:"disabled_reason"`
		Until      *time.Time `json:"previous_secret_until"`
	}
}

type messageOut struct {
	ID         string
	Attributes struct {
		EventType string  `json:"event_type"`
		BatchID   *string `json:"batch_id"`
		State     string
		Attempts  int
		Status    *int `json:"http_status"`
		Failure   *string
		Reply     *string
		Next      *time.Time `json:"next_attempt_at"`
	}
}

const hooksPath = "/api/me/webhooks"

// registers registers an address and returns the id of its webhook.
func (b *browser) registers(address string) (id string) {
	b.t.Helper()
	return decode[struct{ Webhook hookOut }](b.json(http.MethodPost, hooksPath,
		map[string]string{"url": address}).want(http.StatusCreated)).Webhook.ID
}

func TestAProgramRegistersRotatesTestsAndRemovesWebhooks(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	b.get(hooksPath).want(http.StatusUnauthorized)
	b.signIn("ana@example.cl")
	made := b.json(http.MethodPost, hooksPath, map[string]string{"url": "https://Hooks.example.org/in"})
	first := decode[struct{ Webhook hookOut }](made.want(http.StatusCreated)).Webhook
	if form := regexp.MustCompile(`^whsec_[0-9A-Za-z+/]{43}=$`); !form.MatchString(secretIn(made)) {
		t.Errorf("the secret has another form: %d characters", len(secretIn(made)))
	}
	if first.Attributes.URL != "https://hooks.example.org/in" || !first.Attributes.Enabled ||
		!cmp.Equal(first.Attributes.EventTypes, []string{"batch.published"}) {
		t.Errorf("%+v", first)
	}
	if got := b.json(http.MethodPost, hooksPath, map[string]string{"url": "https://hooks.example.org/in"}).want(
		http.StatusConflict); got.code() != "webhook_registered" {
		t.Error(got.body)
	}
	for i := range 4 {
		r.advance(time.Second)
		b.registers(fmt.Sprint("https://hooks.example.org/", i))
	}
	if got := b.json(http.MethodPost, hooksPath, map[string]string{"url": "https://hooks.example.org/5"}).want(
		http.StatusConflict); got.code() != "webhooks_full" {
		t.Error(got.body)
	}
	listed := b.get(hooksPath).want(http.StatusOK)
	if list := decode[struct{ Data []hookOut }](listed).Data; len(list) != 5 || list[0].ID != first.ID ||
		strings.Contains(listed.body, "whsec_") {
		t.Errorf("%s", listed.body)
	}

	one := hooksPath + "/" + first.ID
	for range 3 {
		rotated := b.do(http.MethodPost, one+"/rotate", "", "").want(http.StatusOK)
		until := decode[struct{ Webhook hookOut }](rotated).Webhook.Attributes.Until
		if secretIn(rotated) == secretIn(made) || until == nil || !until.Equal(r.clock.Load().Add(24*time.Hour)) {
			t.Errorf("a rotation until %v", until)
		}
		r.advance(time.Minute)
	}
	if got := b.do(http.MethodPost, one+"/rotate", "", "").want(http.StatusConflict); got.code() != "too_many_secrets" {
		t.Error(got.body)
	}

	test := decode[messageOut](b.do(http.MethodPost, one+"/test", "", "").want(http.StatusAccepted))
	if test.Attributes.State != "waiting" || test.Attributes.EventType != "webhook.test" || test.Attributes.Next == nil {
		t.Errorf("%+v", test)
	}
	r.answered(t, test.ID)
	messages := decode[struct{ Data []messageOut }](b.get(one + "/deliveries").want(http.StatusOK)).Data
	if len(messages) != 1 || messages[0].ID != test.ID || messages[0].Attributes.State != "delivered" ||
		*messages[0].Attributes.Status != 200 || *messages[0].Attributes.Reply != "ok" ||
		messages[0].Attributes.Failure != nil || messages[0].Attributes.Next != nil {
		t.Errorf("%+v", messages)
	}
	for range webhook.TestsPerHour - 1 {
		b.do(http.MethodPost, one+"/test", "", "").want(http.StatusAccepted)
	}
	if got := b.do(http.MethodPost, one+"/test", "", "").want(http.StatusTooManyRequests); got.code() !=
		"too_many_tests" || got.header.Get("Retry-After") == "" {
		t.Errorf("%s %v", got.body, got.header)
	}

	r.disable(t, first.ID, "gone")
	if got := decode[struct{ Data []hookOut }](b.get(hooksPath)).Data[0].Attributes; got.Enabled || *got.Reason != "gone" {
		t.Errorf("%+v", got)
	}
	if got := b.do(http.MethodPost, one+"/test", "", "").want(http.StatusConflict); got.code() != "webhook_disabled" {
		t.Error(got.body)
	}
	if got := decode[hookOut](b.do(http.MethodPost, one+"/enable", "", "").want(http.StatusOK)); !got.Attributes.Enabled {
		t.Errorf("%+v", got)
	}

	other := r.browser(t)
	other.signIn("eva@example.cl")
	for _, w := range [][2]string{{"DELETE", one}, {"POST", one + "/rotate"}, {"POST", one + "/enable"},
		{"POST", one + "/test"}, {"GET", one + "/deliveries"}, {"GET", hooksPath + "/" + strings.Repeat("x", 5000) + "/deliveries"},
		{"DELETE", hooksPath + "/%00"}} {
		if got := other.do(w[0], w[1], "", "").want(http.StatusNotFound); got.code() != "not_found" {
			t.Errorf("%s %.100s of somebody else: %s", w[0], w[1], got.body)
		}
	}
	b.do(http.MethodDelete, one, "", "").want(http.StatusNoContent)
	b.do(http.MethodDelete, one, "", "").want(http.StatusNotFound)
	if list := decode[struct{ Data []hookOut }](b.get(hooksPath)).Data; len(list) != 4 {
		t.Errorf("%d webhooks are left", len(list))
	}
}

// disable disables a webhook as a sender does.
func (r *rig) disable(t testing.TB, id, reason string) {
	t.Helper()
	r.exec(t, "UPDATE webhooks SET disabled_at = $1, disabled_reason = $2, failing_since = $1 WHERE id = $3",
		noon.UnixMilli(), reason, id)
}

func (r *rig) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	must(t, r.store.Transact(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	}))
}

// webhooks gives a person three webhooks: a failing one and two that are disabled. The first has a log with messages
// of every state and failure.
func (r *rig) webhooks(t *testing.T, email string) (id string) {
	t.Helper()
	person := r.personID(t, email)
	list, err := r.hooks.Webhooks(t.Context(), person)
	must(t, err)
	for _, w := range list {
		must(t, r.hooks.Remove(t.Context(), person, w.ID))
	}
	for _, reason := range []string{"gone", "failing", ""} {
		w, _, err := r.hooks.Register(t.Context(), person, "https://hooks.example.org/"+reason)
		must(t, err)
		if reason != "" {
			r.disable(t, w.ID, reason)
		}
		id = w.ID
	}
	_, _, err = r.hooks.Rotate(t.Context(), person, id)
	must(t, err)
	r.exec(t, "UPDATE webhooks SET failing_since = $1 WHERE id = $2", noon.UnixMilli(), id)
	log := func(batch string, status, failure, reply, ended any) {
		t.Helper()
		kind, event, due := "batch.published", "batch_"+batch, any(nil)
		if batch == "" {
			kind, event = "webhook.test", "test_1"
		}
		if ended == nil {
			due = noon.UnixMilli()
		}
		r.exec(t, `INSERT INTO webhook_events (id, type, batch_id, body, created_at) VALUES ($1, $2, $3, '{}', 1)
			ON CONFLICT (id) DO NOTHING`, event, kind, batch)
		r.exec(t, `INSERT INTO webhook_deliveries (webhook_id, event_id, created_at, due_at, attempts, tried_at, status,
			failure, reply, ended, ended_at) VALUES ($1, $2, $3, $4, 3, $3, $5, $6, $7, $8, $9)`, id, event,
			noon.UnixMilli(), due, status, failure, reply, ended, map[bool]any{false: noon.UnixMilli()}[ended == nil])
	}
	log("", 200, nil, "<b>gracias</b>", "delivered")
	log("20260714-1-a", 503, "status", nil, nil)
	log("20260714-2-a", 301, "redirect", nil, "given_up")
	log("20260714-3-a", nil, nil, nil, "disabled")
	for i, failure := range []string{"timeout", "name", "internal", "connect", "tls", "reply", "sealed"} {
		log(fmt.Sprintf("20260715-%d-a", i), nil, failure, nil, "given_up")
	}
	return id
}

func TestAPersonManagesWebhooksOnPages(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	to := b.page("/account/webhooks").want(http.StatusSeeOther).header.Get("Location")
	if !strings.HasPrefix(to, "/sign-in?return_url=") {
		t.Errorf("who is not signed in goes to %s", to)
	}
	b.signIn("ana@example.cl")
	b.page("/account").want(http.StatusOK).shows(`href="/account/webhooks"`)
	mistaken := b.form("/account/webhooks", "direccion", `http://"><script>.org`).want(http.StatusUnprocessableEntity)
	if !strings.Contains(mistaken.body, `value="http://&#34;&gt;&lt;script&gt;.org"`) ||
		!strings.Contains(mistaken.body, `aria-invalid="true"`) {
		t.Errorf("the form is not shown again: %s", mistaken.content())
	}
	made := b.form("/account/webhooks", "direccion", " https://hooks.example.org/in ").want(http.StatusOK)
	secret := regexp.MustCompile(`whsec_[0-9A-Za-z+/=]+`).FindString(html.UnescapeString(made.body))
	if secret == "" || made.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("no secret is shown: %s", made.content())
	}
	list := b.page("/account/webhooks").want(http.StatusOK)
	list.shows("https://hooks.example.org/in", "Activo")
	if strings.Contains(html.UnescapeString(list.body), secret) {
		t.Error("the secret is shown a second time")
	}
	id := decode[struct{ Data []hookOut }](b.get(hooksPath)).Data[0].ID
	again := b.form("/account/webhooks", "direccion", "https://hooks.example.org/in").want(http.StatusConflict)
	again.shows("Ya registró esta dirección")
	to = b.form("/account/webhooks/test", "webhook", id).want(http.StatusSeeOther).header.Get("Location")
	if to != "/account/webhooks/log?webhook="+id {
		t.Errorf("a test leads to %s", to)
	}
	b.page(to).want(http.StatusOK).shows("Prueba", "Pendiente", "jul\u00a02026 12:00:00")
	rotated := b.form("/account/webhooks/rotate", "webhook", id).want(http.StatusOK)
	rotated.shows("whsec_", "El secreto anterior también firma, hasta el", "16\u00a0jul\u00a02026 12:00:00")
	r.disable(t, id, "failing")
	b.page("/account").want(http.StatusOK).shows("Desactivado")
	b.page("/account/webhooks").want(http.StatusOK).shows("todos los mensajes fallaron durante cinco días")
	b.form("/account/webhooks/test", "webhook", id).want(http.StatusConflict)
	b.form("/account/webhooks/enable", "webhook", id).want(http.StatusSeeOther)
	b.form("/account/webhooks/remove", "webhook", id).want(http.StatusSeeOther)
	b.form("/account/webhooks/remove", "webhook", id).want(http.StatusNotFound)
	b.page("/account/webhooks/log?webhook=" + id).want(http.StatusNotFound)

	for i := range webhook.MaxWebhooks {
		b.form("/account/webhooks", "direccion", fmt.Sprint("https://hooks.example.org/", i)).want(http.StatusOK)
	}
	if full := b.page("/account/webhooks").want(http.StatusOK); strings.Contains(full.body, `name="direccion"`) ||
		!strings.Contains(full.content(), "que es el máximo") {
		t.Errorf("a page without place has a form: %s", full.content())
	}
	b.form("/account/webhooks", "direccion", "https://hooks.example.org/5").want(http.StatusConflict).shows("cinco webhooks")
}

func TestTheLogSaysWhatBecameOfEachMessage(t *testing.T) {
	r := newRig(t, options{})
	for accepted, texts := range map[string][]string{
		"es": {"Entregado. HTTP 200", "&lt;b&gt;gracias&lt;/b&gt;", "Pendiente. HTTP 503",
			"Abandonado. HTTP 301: las redirecciones no se siguen", "No se envió: el webhook se desactivó",
			"No hubo respuesta en 15 segundos", "No se encontró el nombre", "está en una red privada", "No se pudo conectar",
			"Falló el certificado o TLS", "La respuesta no era HTTP", "El secreto guardado no se puede leer", "Falla desde el"},
		"en": {"Delivered. HTTP 200", "Waiting. HTTP 503", "redirects are not followed", "the webhook was disabled",
			"no response within 15 seconds", "Failing since"},
	} {
		b := r.reader(t, accepted, "ana@example.cl")
		id := r.webhooks(t, "ana@example.cl")
		b.page("/account/webhooks/log?webhook=" + id).want(http.StatusOK).shows(texts...)
	}
}

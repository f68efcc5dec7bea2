package area

import (
	"errors"
	"net/http"
	"time"

	"cuota/internal/account"
	"cuota/internal/site/locale"
	"cuota/internal/webhook"
)

// maxWebhookURL is the greatest length of an address that is read. Package webhook takes shorter ones.
const maxWebhookURL = 2048

var (
	errNoWebhook = &problem{status: http.StatusNotFound, code: "not_found",
		detail: "You have no webhook of this id. GET /api/me/webhooks lists those that you have.",
		shown:  locale.Phrase{"No tiene un webhook con ese identificador.", "You have no webhook with this id."}}
	errWebhooksFull = &problem{status: http.StatusConflict, code: "webhooks_full",
		detail: "You have five webhooks already. Remove one first.",
		shown: locale.Phrase{"Ya tiene cinco webhooks. Quite uno antes de registrar otro.",
			"You have five webhooks already. Remove one before you register another one."}}
	errWebhookKnown = &problem{status: http.StatusConflict, code: "webhook_registered",
		detail: "You have registered this address already. Remove that webhook first, or replace its secret.",
		shown:  locale.Phrase{"Ya registró esta dirección.", "You have registered this address already."}}
	errWebhookDisabled = &problem{status: http.StatusConflict, code: "webhook_disabled",
		detail: "The webhook is disabled. Enable it first, with POST /api/me/webhooks/{webhook_id}/enable.",
		shown: locale.Phrase{"El webhook está desactivado. Actívelo primero.",
			"The webhook is disabled. Enable it first."}}
	errManySecrets = &problem{status: http.StatusConflict, code: "too_many_secrets",
		detail: "Four secrets of this webhook are in use already. Wait until the first of them expires, or remove the webhook " +
			"and register its address again.",
		shown: locale.Phrase{"Este webhook ya tiene cuatro secretos vigentes. Espere a que venza el primero, o quite el " +
			"webhook y registre de nuevo su dirección.",
			"Four secrets of this webhook are in use already. Wait until the first of them expires, or remove the webhook and " +
				"register its address again."}}
)

func (a *Handler) tooManyTests() error {
	return &problem{status: http.StatusTooManyRequests, code: "too_many_tests", retryAfter: a.restOfTheHour(),
		detail: "Twenty test messages were asked for in this hour. Try again in an hour.",
		shown: locale.Phrase{"Ya pidió veinte mensajes de prueba en esta hora. Intente de nuevo en una hora.",
			"You have asked for twenty test messages in this hour. Try again in an hour."}}
}

// addressProblems say what is wrong with an address, to programs and on the page.
var addressProblems = map[webhook.AddressReason]struct {
	msg   string
	shown locale.Phrase
}{
	webhook.Malformed: {"Must be an https URL with the name of a host, of at most 1000 printable ASCII characters",
		locale.Phrase{"Escriba una dirección como https://ejemplo.cl/webhook, de a lo más 1.000 caracteres, sin espacios " +
			"ni tildes.",
			"Type an address such as https://example.com/webhook, of at most 1,000 characters, without spaces or accents."}},
	webhook.NotHTTPS: {"Must begin with https://",
		locale.Phrase{"La dirección debe comenzar con https://.", "The address must begin with https://."}},
	webhook.Userinfo: {"Must not have a user or a password: messages are signed instead",
		locale.Phrase{"La dirección no puede tener usuario ni contraseña: los mensajes van firmados.",
			"The address must not have a user or a password: messages are signed."}},
	webhook.Fragment: {"Must not have a fragment (#)",
		locale.Phrase{"La dirección no puede tener un fragmento (#).", "The address must not have a fragment (#)."}},
	webhook.Internal: {"Must lead to the public internet, and not to a private network or to this machine",
		locale.Phrase{"La dirección debe estar en la internet pública, y no en una red privada ni en este equipo.",
			"The address must be on the public internet, and not in a private network or on this machine."}},
}

// webhookProblem turns an error of package webhook into a problem or a violation.
func (a *Handler) webhookProblem(err error) error {
	var refused *webhook.AddressError
	switch {
	case errors.As(err, &refused):
		problem := addressProblems[refused.Reason]
		return wrong("body", "url", "url_"+string(refused.Reason), problem.msg, problem.shown)
	case errors.Is(err, webhook.ErrUnknown):
		return errNoWebhook
	case errors.Is(err, webhook.ErrFull):
		return errWebhooksFull
	case errors.Is(err, webhook.ErrRegistered):
		return errWebhookKnown
	case errors.Is(err, webhook.ErrDisabled):
		return errWebhookDisabled
	case errors.Is(err, webhook.ErrManySecrets):
		return errManySecrets
	case errors.Is(err, webhook.ErrTooManyTests):
		return a.tooManyTests()
	}
	return err
}

// webhookOut is a webhook in the responses of /api/me/webhooks.
type webhookOut struct {
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Attributes webhookAttributes `json:"attributes"`
}

type webhookAttributes struct {
	URL                 string     `json:"url"`
	EventTypes          []string   `json:"event_types"`
	CreatedAt           time.Time  `json:"created_at"`
	Enabled             bool       `json:"enabled"`
	DisabledAt          *time.Time `json:"disabled_at"`
	DisabledReason      *string    `json:"disabled_reason"`
	FailingSince        *time.Time `json:"failing_since"`
	PreviousSecretUntil *time.Time `json:"previous_secret_until"`
}

func describeWebhook(w webhook.Webhook) webhookOut {
	return webhookOut{ID: w.ID, Type: "webhook", Attributes: webhookAttributes{
		URL: w.Address, EventTypes: []string{webhook.BatchPublished}, CreatedAt: w.CreatedAt,
		Enabled: w.DisabledAt == nil, DisabledAt: w.DisabledAt, DisabledReason: orNil(w.DisabledReason),
		FailingSince: w.FailingSince, PreviousSecretUntil: w.ReplacedUntil}}
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// listOut is a list of resources with how many there are.
type listOut[T any] struct {
	Data []T `json:"data"`
	Meta struct {
		Total int `json:"total"`
	} `json:"meta"`
}

func listOf[T any](data []T) (out listOut[T]) {
	out.Data, out.Meta.Total = append([]T{}, data...), len(data)
	return out
}

func (a *Handler) listWebhooks(x *exchange, person account.Person) error {
	list, err := a.hooks.Webhooks(x.r.Context(), person.ID)
	if err != nil {
		return err
	}
	var out []webhookOut
	for _, w := range list {
		out = append(out, describeWebhook(w))
	}
	writeJSON(x.w, http.StatusOK, listOf(out))
	return nil
}

// secretOut is a webhook with its new secret, which is shown once.
type secretOut struct {
	Webhook webhookOut `json:"webhook"`
	Secret  string     `json:"secret"`
}

func (a *Handler) registerWebhook(x *exchange, person account.Person, body *body) error {
	address, _ := body.text("url", maxWebhookURL)
	if err := body.problems(); err != nil {
		return err
	}
	w, secret, err := a.hooks.Register(x.r.Context(), person.ID, address)
	if err != nil {
		return a.webhookProblem(err)
	}
	writeJSON(x.w, http.StatusCreated, secretOut{describeWebhook(w), secret})
	return nil
}

// webhookID is the parameter of the path that names a webhook. Any text may be one: an id that is none is unknown.
func (x *exchange) webhookID() string { return x.params.ByName("webhook_id") }

func (a *Handler) removeWebhook(x *exchange, person account.Person) error {
	return a.webhookProblem(a.hooks.Remove(x.r.Context(), person.ID, x.webhookID()))
}

func (a *Handler) rotateWebhook(x *exchange, person account.Person) error {
	w, secret, err := a.hooks.Rotate(x.r.Context(), person.ID, x.webhookID())
	if err != nil {
		return a.webhookProblem(err)
	}
	writeJSON(x.w, http.StatusOK, secretOut{describeWebhook(w), secret})
	return nil
}

func (a *Handler) enableWebhook(x *exchange, person account.Person) error {
	w, err := a.hooks.Enable(x.r.Context(), person.ID, x.webhookID())
	if err != nil {
		return a.webhookProblem(err)
	}
	writeJSON(x.w, http.StatusOK, describeWebhook(w))
	return nil
}

// deliveryOut is a message to a webhook, with what came of its last attempt.
type deliveryOut struct {
	ID         string             `json:"id"`
	Type       string             `json:"type"`
	Attributes deliveryAttributes `json:"attributes"`
}

type deliveryAttributes struct {
	EventType     string     `json:"event_type"`
	BatchID       *string    `json:"batch_id"`
	CreatedAt     time.Time  `json:"created_at"`
	State         string     `json:"state"`
	Attempts      int64      `json:"attempts"`
	LastAttemptAt *time.Time `json:"last_attempt_at"`
	HTTPStatus    *int64     `json:"http_status"`
	Failure       *string    `json:"failure"`
	Reply         *string    `json:"reply"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

func describeDelivery(d webhook.Delivery) deliveryOut {
	out := deliveryOut{ID: d.EventID, Type: "webhook_delivery", Attributes: deliveryAttributes{
		EventType: d.Type, BatchID: orNil(d.BatchID), CreatedAt: d.CreatedAt, State: string(d.Ended),
		Attempts: d.Attempts, LastAttemptAt: d.TriedAt, Failure: orNil(string(d.Failure)), Reply: orNil(d.Reply),
		NextAttemptAt: d.NextAt}}
	if d.Ended == webhook.Waiting {
		out.Attributes.State = "waiting"
	}
	if d.Status != 0 {
		out.Attributes.HTTPStatus = &d.Status
	}
	return out
}

// testWebhook enqueues a test message.
func (a *Handler) testWebhook(x *exchange, person account.Person) error {
	d, err := a.hooks.Test(x.r.Context(), person.ID, x.webhookID())
	if err != nil {
		return a.webhookProblem(err)
	}
	writeJSON(x.w, http.StatusAccepted, describeDelivery(d))
	return nil
}

func (a *Handler) listDeliveries(x *exchange, person account.Person) error {
	_, list, err := a.hooks.Log(x.r.Context(), person.ID, x.webhookID())
	if err != nil {
		return a.webhookProblem(err)
	}
	var out []deliveryOut
	for _, d := range list {
		out = append(out, describeDelivery(d))
	}
	writeJSON(x.w, http.StatusOK, listOf(out))
	return nil
}

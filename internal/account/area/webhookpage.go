package area

import (
	"net/http"
	"net/url"

	"cuota/internal/account"
	"cuota/internal/site/accountpages"
	"cuota/internal/site/locale"
	"cuota/internal/webhook"
)

// Fields of the forms of webhooks, and the parameter of the page of a log.
const (
	webhookKey    = "webhook"
	webhookURLKey = "direccion"
)

const webhooksPath = "/account/webhooks"

// webhooksPage lists the webhooks of a person, with a form that registers one.
func (a *Handler) webhooksPage(x *exchange, person account.Person) error {
	return a.webhooksWith(x, person, http.StatusOK, "", locale.Phrase{})
}

// webhooksWith shows the page with an address that was typed, and what is wrong with it.
func (a *Handler) webhooksWith(x *exchange, person account.Person, status int, typed string,
	wrong locale.Phrase) error {
	list, err := a.shownWebhooks(x, person)
	if err != nil {
		return err
	}
	p := accountpages.Webhooks{Webhooks: list, URL: cutTo(typed, maxWebhookURL),
		Full: len(list) >= webhook.MaxWebhooks, Saved: x.visit.Texts.Has(savedFlag)}
	if wrong != (locale.Phrase{}) {
		p.Problem = wrong.In(x.visit.Lang)
	}
	a.page(x, status, p)
	return nil
}

// shownWebhooks returns the webhooks of a person as pages show them.
func (a *Handler) shownWebhooks(x *exchange, person account.Person) (shown []accountpages.Webhook, err error) {
	list, err := a.hooks.Webhooks(x.r.Context(), person.ID)
	for _, w := range list {
		shown = append(shown, a.shownWebhook(x, w))
	}
	return shown, err
}

func (a *Handler) shownWebhook(x *exchange, w webhook.Webhook) accountpages.Webhook {
	return accountpages.Webhook{ID: w.ID, URL: w.Address, Log: x.visit.Link(webhooksPath+"/log", webhookKey, w.ID),
		FailingSince: w.FailingSince, DisabledAt: w.DisabledAt, DisabledReason: w.DisabledReason,
		ReplacedUntil: w.ReplacedUntil}
}

// registerWebhookOnPage registers an address, and shows its secret for the only time. If the address can't be used,
// the form is shown again with the reason.
func (a *Handler) registerWebhookOnPage(x *exchange, person account.Person, form url.Values) error {
	typed := form.Get(webhookURLKey)
	w, secret, err := a.hooks.Register(x.r.Context(), person.ID, typed)
	if err == nil {
		return a.showSecret(x, w, secret)
	}
	err = a.webhookProblem(err)
	if why, status, ok := onForm(err); ok {
		return a.webhooksWith(x, person, status, typed, why)
	}
	return err
}

func (a *Handler) showSecret(x *exchange, w webhook.Webhook, secret string) error {
	// As of the page with a key: this page has no form that changes something.
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	return a.show(x, accountpages.WebhookSecret{Webhook: a.shownWebhook(x, w), Secret: secret})
}

func (a *Handler) rotateWebhookOnPage(x *exchange, person account.Person, form url.Values) error {
	w, secret, err := a.hooks.Rotate(x.r.Context(), person.ID, form.Get(webhookKey))
	if err != nil {
		return a.webhookProblem(err)
	}
	return a.showSecret(x, w, secret)
}

func (a *Handler) removeWebhookOnPage(x *exchange, person account.Person, form url.Values) error {
	return a.webhookProblem(a.hooks.Remove(x.r.Context(), person.ID, form.Get(webhookKey)))
}

func (a *Handler) enableWebhookOnPage(x *exchange, person account.Person, form url.Values) error {
	_, err := a.hooks.Enable(x.r.Context(), person.ID, form.Get(webhookKey))
	return a.webhookProblem(err)
}

// testWebhookOnPage lets a test message wait, and leads to the log, which shows what came of it.
func (a *Handler) testWebhookOnPage(x *exchange, person account.Person, form url.Values) error {
	id := form.Get(webhookKey)
	if _, err := a.hooks.Test(x.r.Context(), person.ID, id); err != nil {
		return a.webhookProblem(err)
	}
	http.Redirect(x.w, x.r, x.visit.Link(webhooksPath+"/log", webhookKey, id), http.StatusSeeOther)
	return nil
}

// webhookLogPage shows what was sent to a webhook, and what came of it.
func (a *Handler) webhookLogPage(x *exchange, person account.Person) error {
	id := ""
	if given := queryText(x.r, webhookKey); given != nil {
		id = *given
	}
	w, list, err := a.hooks.Log(x.r.Context(), person.ID, id)
	if err != nil {
		return a.webhookProblem(err)
	}
	p := accountpages.WebhookLog{Webhook: a.shownWebhook(x, w)}
	for _, d := range list {
		shown := accountpages.Delivery{CreatedAt: d.CreatedAt, BatchID: d.BatchID, State: string(d.Ended),
			Attempts: d.Attempts, TriedAt: d.TriedAt, Status: d.Status, Failure: string(d.Failure), Reply: d.Reply,
			NextAt: d.NextAt}
		p.Deliveries = append(p.Deliveries, shown)
	}
	return a.show(x, p)
}

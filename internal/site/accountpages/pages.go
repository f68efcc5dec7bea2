// Package accountpages has the pages of the account area: the value of each page, its template in the folder
// templates, and what the pages say of series and keys. The frame around them is of package site. They know neither
// sessions nor the account store: internal/account/area serves them, and decides who may see which.
package accountpages

import (
	"embed"
	"html/template"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/site"
	"cuota/internal/site/locale"
	"cuota/model"
)

// Page is the data of a page: one of the types below.
type Page interface {
	template() string // its name
}

// Register asks for the address of a registration.
type Register struct {
	Email   string // as it was typed before
	Problem string // what is wrong with it; "" if nothing is
}

// RegisterSent says that a link was mailed.
type RegisterSent struct{}

// RegisterConfirm has the button that uses the mailed link of a registration.
type RegisterConfirm struct{ Email, Token string }

// Key shows a new key, for the only time, and a command line with it.
type Key struct{ Key, Curl string }

// SignIn asks for the address to which a link is mailed.
type SignIn struct {
	Email     string // as it was typed before
	Problem   string // what is wrong with it; "" if nothing is
	ReturnURL string // where the person goes after signing in
	Google    string // the address that begins a sign-in with Google; "" if it is off
	Ended     bool   // all sessions of the person were ended just now
}

// SignInSent says that a link was mailed.
type SignInSent struct{}

// SignInConfirm has the button that uses the mailed link of a sign-in.
type SignInConfirm struct{ Email, Token string }

// Account shows an account.
type Account struct {
	Search
	Email          string
	Keys           []APIKey
	Watched        []Series
	Screens        []SavedScreen
	Links          []AddressLink
	Form           LinkForm // that makes a link
	Webhooks       []Webhook
	Unnamed        bool // the names of the watched series can't be read right now
	Alerts         bool // mails that the person gets
	MonthlySummary bool
	Saved          bool // a change was saved just now
}

// APIKey is a key of the account.
type APIKey struct {
	Last4      string     // its last characters
	Tier       string     // as account.Tier
	DailyQuota *int64     // requests a day; nil if there is no limit
	Name       string     // "" if it has none
	Ends       *time.Time // when it stops answering, because another has taken its place; nil if no end is set
}

// Series is a series on a page.
type Series struct {
	ID       string
	Named    *model.SeriesName // nil if only the id is known
	Watching bool              // the person watches it already
}

// Search is the form that searches for series.
type Search struct {
	Query   string
	Problem string // what is wrong with it; "" if nothing is
}

// Watchlist searches for series to watch.
type Watchlist struct {
	Search
	Matches []Series
	More    bool // there are more matches than the page shows
}

// AlertedSeries shows whether the person watches a series and gets alerts, with a form that begins both.
type AlertedSeries struct {
	Series
	Email  string
	Alerts bool   // the person gets alerts
	Unsent string // why no mail leaves this server; "" if mails are sent
	Back   string // address of the page of the series; "" if it has none
	// What the form has changed just now. Done alone: both were so before.
	Done, Added, Started bool
	Saved                bool // that was undone just now
}

// SavedScreen is a choice of the screener that the person has saved, with the address that opens it.
type SavedScreen struct{ Name, Link string }

// SaveScreen asks for the name of a choice of the screener. Query is the query string that holds it.
type SaveScreen struct {
	Name, Query string
	Problem     string // what is wrong with the name; "" if nothing is
}

// Webhook is an address that gets a message at each publication.
type Webhook struct {
	ID, URL        string
	Log            string // address of the page with its messages
	FailingSince   *time.Time
	DisabledAt     *time.Time
	DisabledReason string // gone or failing; "" if it is not disabled
	ReplacedUntil  *time.Time
}

// Webhooks lists the webhooks of a person, with a form that registers one.
type Webhooks struct {
	Webhooks []Webhook
	Full     bool   // there is no place for another one
	URL      string // as it was typed before
	Problem  string // what is wrong with it; "" if nothing is
	Saved    bool   // a change was saved just now
}

// WebhookSecret shows a new secret of a webhook, for the only time.
type WebhookSecret struct {
	Webhook
	Secret string
}

// WebhookLog shows the messages to a webhook.
type WebhookLog struct {
	Webhook
	Deliveries []Delivery
}

// Delivery is a message to a webhook, with what came of its last attempt.
type Delivery struct {
	CreatedAt time.Time
	BatchID   string // "" for a test
	State     string // delivered, given_up or disabled; "" while it waits
	Attempts  int64
	TriedAt   *time.Time
	Status    int64  // of the HTTP response; 0 if there was none
	Failure   string // as webhook.Failure
	Reply     string // the beginning of the response
	NextAt    *time.Time
}

// Delete has the button that deletes the account.
type Delete struct{ Email string }

// Deleted says that the account was deleted.
type Deleted struct{}

// Unsubscribe has the button that takes the person of a token off a mailing list.
type Unsubscribe struct{ Token, List string }

// Unsubscribed says that it was done, or that the account is gone.
type Unsubscribed struct {
	List string
	Gone bool
}

func (Register) template() string        { return "register" }
func (RegisterSent) template() string    { return "register-sent" }
func (RegisterConfirm) template() string { return "register-confirm" }
func (Key) template() string             { return "key" }
func (SignIn) template() string          { return "sign-in" }
func (SignInSent) template() string      { return "sign-in-sent" }
func (SignInConfirm) template() string   { return "sign-in-confirm" }
func (Account) template() string         { return "account" }
func (Watchlist) template() string       { return "watchlist" }
func (AlertedSeries) template() string   { return "alerted-series" }
func (SaveScreen) template() string      { return "save-screen" }
func (Webhooks) template() string        { return "webhooks" }
func (WebhookSecret) template() string   { return "webhook-secret" }
func (WebhookLog) template() string      { return "webhook-log" }
func (Delete) template() string          { return "delete" }
func (Deleted) template() string         { return "deleted" }
func (Unsubscribe) template() string     { return "unsubscribe" }
func (Unsubscribed) template() string    { return "unsubscribed" }

//go:embed templates/*.html
var templateFiles embed.FS

var templates = site.ParseTemplates(templateFiles, func(l locale.Language) template.FuncMap {
	return template.FuncMap{
		"lastChange": func(s *model.SeriesName) string { return lastChange(l, s) },
		"day":        func(t time.Time) string { return l.Day(model.DateOf(t.In(santiago.Zone))) },
		"number":     func(n int64) string { return l.Number(float64(n), 0) },
		"tier":       func(name string) string { return tierName(name).In(l) },
		"moment":     func(at time.Time) string { return moment(l, at) },
		"became":     func(d Delivery) string { return became(d).In(l) },
	}
})

// Render returns a page.
func Render(v *site.Visit, p Page) ([]byte, error) {
	return templates.Render(v.Lang, p.template(), site.View{Visit: v, Data: p})
}

// RenderError returns the page for an error. why says what failed, and what to do.
func RenderError(v *site.Visit, why, requestID string) ([]byte, error) {
	return v.Error(site.ErrorPage{
		Title:  v.Say("No se pudo completar la solicitud", "The request could not be completed"),
		Advice: why,
		Links: []site.PageLink{
			{Link: v.AccountLink(), Name: v.Say("Volver a su cuenta", "Back to your account")},
			{Link: v.Link("/register"), Name: v.Say("Obtener una clave de API", "Get an API key")},
			{Link: v.Link("/sign-in"), Name: v.Say("Entrar", "Sign in")},
		},
		RequestID: requestID,
	})
}

// lastChange says how the quota of a series changed last.
func lastChange(l locale.Language, s *model.SeriesName) string {
	if s.Change == nil || s.ChangeOn == nil {
		return locale.Phrase{"Sin cambio diario conocido", "No daily change known"}.In(l)
	}
	change, day := locale.Signed(*s.Change, l.Percent(*s.Change, 2)), l.Day(model.DateOf(*s.ChangeOn))
	return locale.Phrase{"Último cambio: " + change + ", el " + day, "Last change: " + change + ", on " + day}.In(l)
}

var tierNames = map[string]locale.Phrase{
	"free":          {"gratuita", "free"},
	"institutional": {"institucional", "institutional"},
	"internal":      {"interna", "internal"},
}

// tierName returns the name of a class of keys. One without a name is shown as it is.
func tierName(tier string) locale.Phrase {
	if name, known := tierNames[tier]; known {
		return name
	}
	return locale.Phrase{tier, tier}
}

package area

import (
	"context"
	"errors"
	"net/http"
	"time"

	"cuota/internal/account"
)

// personOut is a person in the responses of /api/me.
type personOut struct {
	ID             string    `json:"id"`
	Email          string    `json:"email"`
	CreatedAt      time.Time `json:"created_at"`
	Alerts         bool      `json:"email_opt_in_alerts"`
	MonthlySummary bool      `json:"email_opt_in_monthly_summary"`
	Keys           []keyOut  `json:"api_keys"`
}

// keyOut is an active key. It does not contain the key itself, which was shown once.
type keyOut struct {
	Last4      string    `json:"last4"`
	Name       *string   `json:"name"` // null if it has none
	Tier       string    `json:"tier"`
	DailyQuota *int64    `json:"daily_quota"` // requests a Santiago day; null if there is no limit
	CreatedAt  time.Time `json:"created_at"`
	// both only of keys that an operator has made
	Scopes    []string   `json:"scopes"`     // null: every one
	ExpiresAt *time.Time `json:"expires_at"` // when another takes its place; null: no end is set
}

func (a *Handler) describe(x *exchange, p account.Person) (personOut, error) {
	keys, err := a.store.Keys(x.r.Context(), p.ID)
	if err != nil {
		return personOut{}, err
	}
	out := personOut{ID: p.ID, Email: p.Email, CreatedAt: p.CreatedAt, Alerts: p.Alerts,
		MonthlySummary: p.MonthlySummary, Keys: []keyOut{}}
	for _, k := range keys {
		key := keyOut{Last4: k.Last4, Tier: string(k.Tier), DailyQuota: k.DailyQuota(), CreatedAt: k.CreatedAt,
			Scopes: k.Scopes.Words(), ExpiresAt: k.ExpiresAt}
		if k.Name != "" {
			key.Name = &k.Name
		}
		out.Keys = append(out.Keys, key)
	}
	return out, nil
}

func (a *Handler) me(x *exchange, person account.Person) error {
	out, err := a.describe(x, person)
	if err != nil {
		return err
	}
	writeJSON(x.w, http.StatusOK, out)
	return nil
}

// forget removes the account.
func (a *Handler) forget(x *exchange, person account.Person) error {
	// The mail files are removed first. If that fails, nothing is erased, and the person
	// can try again. They are removed a second time after the account is gone, because
	// mails may have been written meanwhile. A caller who disconnects does not stop this.
	if a.mails != nil {
		if err := a.mails.Erase(x.r.Context(), person.Email); err != nil {
			return unavailable(err)
		}
	}
	// From here on the account is gone and the person can't try again. Later failures are
	// logged for the operator.
	err := a.store.Forget(x.r.Context(), person.ID)
	if errors.Is(err, account.ErrNotScrubbed) {
		a.log.Error().Err(err).Str("request_id",
			x.id()).Msg("an account was removed, but its erased data may stay in the account database until the next " +
			"start: restart the server")
	} else if err != nil {
		return err
	}
	if a.mails != nil {
		if err := a.mails.Erase(context.WithoutCancel(x.r.Context()), person.Email); err != nil {
			a.log.Error().Err(err).Str("request_id",
				x.id()).Msg("an account was removed, but mails written during the removal could not be deleted: " +
				"delete them from the mail folder by hand")
		}
	}
	a.dropCookie(x, sessionCookie)
	return nil
}

// signOutEverywhere ends all sessions of the person.
func (a *Handler) signOutEverywhere(x *exchange, person account.Person) error {
	if err := a.store.SignOutEverywhere(x.r.Context(), person.ID); err != nil {
		return err
	}
	a.dropCookie(x, sessionCookie)
	return nil
}

// watchedOut is a series of a watchlist.
type watchedOut struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Attributes struct {
		AddedAt time.Time `json:"added_at"`
	} `json:"attributes"`
}

func (a *Handler) watchlist(x *exchange, person account.Person) error {
	watched, err := a.store.Watchlist(x.r.Context(), person.ID)
	if err != nil {
		return err
	}
	var out []watchedOut // in the order in which the series were added
	for _, w := range watched {
		row := watchedOut{ID: w.SeriesID, Type: "watched_series"}
		row.Attributes.AddedAt = w.AddedAt
		out = append(out, row)
	}
	writeJSON(x.w, http.StatusOK, listOf(out))
	return nil
}

// watch adds an existing series and answers with the whole list.
func (a *Handler) watch(x *exchange, person account.Person, body *body) error {
	id, _ := body.text("serie_id", maxSeriesID)
	if err := body.problems(); err != nil {
		return err
	}
	if err := a.addSeries(x, person, id); err != nil {
		return err
	}
	return a.watchlist(x, person)
}

func (a *Handler) addSeries(x *exchange, person account.Person, text string) error {
	id, err := seriesID("body", text)
	if err != nil {
		return err
	}
	if err := a.mustExist(x, id); err != nil {
		return err
	}
	switch err := a.store.Watch(x.r.Context(), person.ID, id); {
	case errors.Is(err, account.ErrWatchlistFull):
		return errWatchlistFull
	default:
		return err
	}
}

// mustExist fails unless there is a series with this id.
func (a *Handler) mustExist(x *exchange, id string) error {
	exists, err := a.series.HasSeries(x.r.Context(), id)
	switch {
	case err != nil:
		return dataUnavailable(err)
	case !exists:
		return errNoSeries
	}
	return nil
}

// unwatch removes a series from the list. The series need not be on the list, nor exist.
func (a *Handler) unwatch(x *exchange, person account.Person) error {
	id, err := seriesID("path", x.params.ByName("serie_id"))
	if err != nil {
		return err
	}
	return a.store.Unwatch(x.r.Context(), person.ID, id)
}

// setAlerts changes the given preferences. A missing or null field leaves its preference as it
// is.
func (a *Handler) setAlerts(x *exchange, person account.Person, body *body) error {
	alerts, summary := body.flag("email_opt_in_alerts"), body.flag("email_opt_in_monthly_summary")
	if err := body.problems(); err != nil {
		return err
	}
	preferences, err := a.store.SetPreferences(x.r.Context(), person.ID, alerts, summary)
	if err != nil {
		return err
	}
	writeJSON(x.w, http.StatusOK, struct {
		Alerts         bool `json:"email_opt_in_alerts"`
		MonthlySummary bool `json:"email_opt_in_monthly_summary"`
	}{preferences.Alerts, preferences.MonthlySummary})
	return nil
}

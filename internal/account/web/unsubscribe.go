package web

import (
	"errors"
	"net/http"
	"net/url"

	"cuota/internal/account"
)

// oneClickPath is what List-Unsubscribe names (RFC 8058).
const oneClickPath = "/api/alerts/unsubscribe/one-click"

// OneClickURL is the address that a mail of the list names in its
// List-Unsubscribe header, with a token of account.Store.UnsubscribeToken.
func OneClickURL(base, token string) string {
	return base + oneClickPath + "?token=" + url.QueryEscape(token)
}

// UnsubscribeURL is the address of the page for people, with the same token.
func UnsubscribeURL(base, token string) string {
	return base + "/unsubscribe?token=" + url.QueryEscape(token)
}

// unsubscribe takes the holder of a token off its list.
func (a *Area) unsubscribe(x *exchange) error {
	body, err := readBody(x)
	if err != nil {
		return err
	}
	token, _ := body.text("token", maxUnsubscribeToken)
	if err := body.problems(); err != nil {
		return err
	}
	list, err := a.stop(x, "body", token)
	if err != nil {
		return err
	}
	writeJSON(x.w, http.StatusOK, struct {
		Unsubscribed account.MailingList `json:"unsubscribed"`
	}{list})
	return nil
}

func (a *Area) stop(x *exchange, in, token string) (account.MailingList, error) {
	list, err := a.store.Unsubscribe(x.r.Context(), token)
	switch {
	case errors.Is(err, account.ErrInvalidToken):
		return "", wrongToken(in)
	case err != nil:
		return "", unavailable(err)
	}
	return list, nil
}

func wrongToken(in string) error {
	return wrong(in, "token", "token_invalid", "It is not from one of our mails", "El enlace no viene de uno de nuestros correos.")
}

// oneClick is unsubscribe as mail providers ask for it: a POST without cookies,
// any number of times.
func (a *Area) oneClick(x *exchange) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxUnsubscribeToken)
	if err != nil {
		return err
	}
	if _, err := a.stop(x, "query", token); err != nil {
		return err
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

// oneClickOpened is what a mail program without one-click does with the same
// address: it opens it. That unsubscribes nobody; a page asks.
func (a *Area) oneClickOpened(x *exchange) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxUnsubscribeToken)
	if err != nil {
		return err
	}
	http.Redirect(x.w, x.r, UnsubscribeURL("", token), http.StatusSeeOther)
	return nil
}

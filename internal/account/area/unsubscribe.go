package area

import (
	"errors"
	"net/http"
	"net/url"

	"cuota/internal/account"
	"cuota/internal/site/locale"
)

// oneClickPath is the path in the List-Unsubscribe header of mails (RFC 8058).
const oneClickPath = "/api/alerts/unsubscribe/one-click"

// OneClickURL returns the address for the List-Unsubscribe header of a mail. token comes from
// account.Store.UnsubscribeToken.
func OneClickURL(base, token string) string {
	return base + oneClickPath + "?token=" + url.QueryEscape(token)
}

// UnsubscribeURL returns the address of the page on which a person unsubscribes, with the same
// token.
func UnsubscribeURL(base, token string) string {
	return base + "/unsubscribe?token=" + url.QueryEscape(token)
}

// unsubscribe takes the person of a token off the token's list.
func (a *Handler) unsubscribe(x *exchange, body *body) error {
	token, _ := body.text("token", maxUnsubscribeToken)
	if err := body.problems(); err != nil {
		return err
	}
	list, _, err := a.stop(x, "body", token)
	if err != nil {
		return err
	}
	writeJSON(x.w, http.StatusOK, struct {
		Unsubscribed account.MailingList `json:"unsubscribed"`
	}{list})
	return nil
}

func (a *Handler) stop(x *exchange, in, token string) (list account.MailingList, gone bool, err error) {
	list, gone, err = a.store.Unsubscribe(x.r.Context(), token)
	if errors.Is(err, account.ErrInvalidToken) {
		err = wrongToken(in)
	}
	return list, gone, err
}

func wrongToken(in string) error {
	return wrong(in, "token", "token_invalid", "It is not from one of our mails",
		locale.Phrase{"El enlace no viene de uno de nuestros correos.", "The link is not from one of our mails."})
}

// oneClick is unsubscribe for mail providers (RFC 8058): a POST without cookies, which may be
// repeated.
func (a *Handler) oneClick(x *exchange) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxUnsubscribeToken)
	if err != nil {
		return err
	}
	_, _, err = a.stop(x, "query", token)
	return err
}

// oneClickOpened handles a GET of the one-click address, which mail programs without one-click
// support open. It unsubscribes nobody: it redirects to the page that asks first.
func (a *Handler) oneClickOpened(x *exchange) error {
	token, err := required("query", "token", queryText(x.r, "token"), maxUnsubscribeToken)
	if err != nil {
		return err
	}
	http.Redirect(x.w, x.r, UnsubscribeURL("", token), http.StatusSeeOther)
	return nil
}

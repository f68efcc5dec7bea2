package area

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cuota/internal/account"
	"cuota/internal/httpapi"
	"cuota/internal/santiago"
	"cuota/internal/site/accountpages"
	"cuota/internal/site/locale"
)

// Fields of the form that makes a link to an address.
const (
	linkAddressKey = "direccion"
	linkDaysKey    = "dias"
	linkKeyKey     = "clave"
)

const (
	usualLinkDays  = 365
	mostLinkDays   = int(account.MaxLinkLife / (24 * time.Hour))
	maxLinkAddress = 2100 // characters that the form shows again; the store takes fewer
)

// links lists the links of a person for the page.
func (a *Handler) links(x *exchange, person account.Person) (list []accountpages.AddressLink, err error) {
	made, err := a.store.OwnLinks(x.r.Context(), person.ID)
	for _, l := range made {
		one := accountpages.AddressLink{ID: l.ID, Address: l.Address, KeyLast4: l.KeyLast4, Made: l.CreatedAt,
			Ends: l.ExpiresAt}
		if used, err := time.ParseInLocation(time.DateOnly, l.UsedOn, santiago.Zone); err == nil { // else it never was
			one.Used = &used
		}
		list = append(list, one)
	}
	return list, err
}

// addLinkable adds a key to those on which links can be counted, unless another has taken its place.
func addLinkable(keys []accountpages.LinkKey, k account.Key) []accountpages.LinkKey {
	if k.ExpiresAt != nil {
		return keys
	}
	return append(keys, accountpages.LinkKey{ID: k.ID, Last4: k.Last4, Name: k.Name})
}

// linkOnPage makes a link and shows it, for the only time. The form is shown again if something in it can't be used.
func (a *Handler) linkOnPage(x *exchange, person account.Person, form url.Values) error {
	keys, err := a.store.Keys(x.r.Context(), person.ID)
	if err != nil {
		return err
	}
	filled := accountpages.LinkForm{Address: cutTo(strings.TrimSpace(form.Get(linkAddressKey)), maxLinkAddress),
		Days: cutTo(strings.TrimSpace(form.Get(linkDaysKey)), 4), Key: form.Get(linkKeyKey)}
	for _, k := range keys {
		filled.Keys = addLinkable(filled.Keys, k)
	}
	switch {
	case filled.Key == "" && len(filled.Keys) == 1:
		filled.Key = filled.Keys[0].ID
	case unprintable(filled.Key): // no key has it
		filled.Key = ""
	}
	days, err := strconv.Atoi(filled.Days)
	if err != nil || days < 1 || days > mostLinkDays {
		return a.linkAgain(x, filled, http.StatusUnprocessableEntity, linkDaysKey,
			locale.Phrase{fmt.Sprintf("Escriba un número de días de 1 a %d.", mostLinkDays),
				fmt.Sprintf("Type a number of days from 1 to %d.", mostLinkDays)})
	}
	filled.Address = a.withoutOrigin(filled.Address)
	token, link, err := a.store.CreateOwnLink(x.r.Context(), person.ID, filled.Key, filled.Address,
		time.Duration(days)*24*time.Hour)
	for _, known := range linkProblems {
		if errors.Is(err, known.err) {
			if known.secret {
				filled.Address = ""
			}
			return a.linkAgain(x, filled, known.status, known.field, known.message)
		}
	}
	if err != nil {
		return err
	}
	x.w.Header().Set("Referrer-Policy", "no-referrer") // as on the page that shows a key
	return a.show(x, accountpages.Link{Link: a.base.String() + httpapi.LinkPath + token, Address: link.Address,
		Ends: link.ExpiresAt})
}

// linkProblems are what can be wrong with a link, and with which field of the form.
var linkProblems = []struct {
	err     error
	field   string
	status  int
	secret  bool // the field may have a secret, which is not repeated
	message locale.Phrase
}{
	{account.ErrNotOfAPI, linkAddressKey, http.StatusUnprocessableEntity, false, locale.Phrase{
		"Escriba una dirección de la API con sus parámetros, que empieza con /api/, de a lo más 2000 caracteres.",
		"Type an address of the API with its parameters, which begins with /api/, of at most 2000 characters."}},
	{account.ErrMalformedAddress, linkAddressKey, http.StatusUnprocessableEntity, false, locale.Phrase{
		"Los parámetros de la dirección no están bien escritos.", "The parameters of the address are not well-formed."}},
	{account.ErrKeyInAddress, linkAddressKey, http.StatusUnprocessableEntity, true, locale.Phrase{
		"La dirección tenía una clave. Escríbala sin ella: el enlace cuenta en su clave sin llevarla.",
		"The address had a key in it. Type it without: the link counts on your key and does not carry it."}},
	{account.ErrLinksFull, linkAddressKey, http.StatusConflict, false, locale.Phrase{
		"La clave ya tiene cien enlaces. Revoque uno antes de crear otro.",
		"The key has a hundred links already. Revoke one before you make another one."}},
	{account.ErrNoSuchKey, linkKeyKey, http.StatusUnprocessableEntity, false, locale.Phrase{
		"Elija una de sus claves.", "Choose one of your keys."}},
}

func (a *Handler) linkAgain(x *exchange, filled accountpages.LinkForm, status int, field string,
	message locale.Phrase) error {
	filled.Field, filled.Problem = field, message.In(x.visit.Lang)
	a.page(x, status, accountpages.NewLink{Form: filled})
	return nil
}

// withoutOrigin leaves out the origin of this service, which an address has that was copied from a browser.
func (a *Handler) withoutOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || !a.isOwn(u) {
		return address
	}
	return address[len(u.Scheme)+len("://")+len(u.Host):] // the scheme may be written in upper case
}

// revokeLinkOnPage revokes a link of the person. One that was revoked before, or is another's, is left as it is.
func (a *Handler) revokeLinkOnPage(x *exchange, person account.Person, form url.Values) error {
	id := form.Get("id")
	if unprintable(id) { // no link has it
		return nil
	}
	if err := a.store.RevokeOwnLink(x.r.Context(), person.ID, id); !errors.Is(err, account.ErrNoAddressLink) {
		return err
	}
	return nil
}

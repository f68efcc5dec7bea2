package area

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cuota/internal/account"
	"cuota/internal/site/accountpages"
	"cuota/internal/site/locale"
)

// Bounds of a saved screen, as in the account store.
const (
	maxScreenName  = 80   // characters
	maxScreenQuery = 1000 // bytes
)

// Parameters of the page and fields of its form.
const (
	screenNameKey  = "nombre"
	screenQueryKey = "busqueda"
)

// unsaved are parameters of the page of the screener that a saved screen does not have: where a reader was in the list,
// and what the page was shown in.
var unsaved = []string{"offset", "limit", "batch_id", "format", "fecha", "lang", "archivo"}

// screenPage asks for the name under which a choice of the screener is saved. The page of the screener leads here.
func (a *Handler) screenPage(x *exchange, _ account.Person) error {
	p := accountpages.SaveScreen{}
	if given := queryText(x.r, screenNameKey); given != nil {
		p.Name = cutTo(strings.TrimSpace(*given), maxScreenName)
	}
	if given := queryText(x.r, screenQueryKey); given != nil {
		query, err := a.screenQuery(x, "query", *given)
		if err != nil {
			return err
		}
		p.Query = query
	}
	return a.show(x, p)
}

// saveScreenOnPage saves the choice of the form. The form is shown again if the name can't be used.
func (a *Handler) saveScreenOnPage(x *exchange, person account.Person, form url.Values) error {
	query, err := a.screenQuery(x, "body", form.Get(screenQueryKey))
	if err != nil {
		return err
	}
	name := strings.Join(strings.Fields(form.Get(screenNameKey)), " ")
	again := func(status int, problem locale.Phrase) error {
		a.page(x, status, accountpages.SaveScreen{Name: cutTo(name, maxScreenName), Query: query,
			Problem: problem.In(x.visit.Lang)})
		return nil
	}
	if n := utf8.RuneCountInString(name); n == 0 || n > maxScreenName || unprintable(name) {
		return again(http.StatusUnprocessableEntity,
			locale.Phrase{"Escriba un nombre de 1 a 80 caracteres, sin caracteres invisibles.",
				"Type a name of 1 to 80 characters, without invisible characters."})
	}
	err = a.store.SaveScreen(x.r.Context(), person.ID, name, query)
	if errors.Is(err, account.ErrScreensFull) {
		return again(http.StatusConflict, locale.Phrase{"Ya tiene veinte búsquedas. Quite una antes de guardar otra.",
			"You have twenty screens already. Remove one before you save another one."})
	}
	if err != nil {
		return err
	}
	return goTo(x, "/account", savedFlag)
}

func (a *Handler) dropScreenOnPage(x *exchange, person account.Person, form url.Values) error {
	name := form.Get(screenNameKey)
	if unprintable(name) { // no screen has it
		return nil
	}
	return a.store.DropScreen(x.r.Context(), person.ID, name)
}

// unprintable reports whether a text has bytes or characters that can't be shown.
func unprintable(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// screenQuery returns the query string of a saved screen in its one form: its parameters sorted, without those that
// are not saved. It fails if the page of the screener does not take it, because nothing would ever enter such a screen.
func (a *Handler) screenQuery(x *exchange, in, text string) (string, error) {
	texts, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
	for _, name := range unsaved {
		texts.Del(name)
	}
	query := texts.Encode()
	taken := err == nil && len(query) <= maxScreenQuery
	for name, values := range texts {
		taken = taken && !slices.ContainsFunc(append(values, name), unprintable)
	}
	if taken {
		if taken, err = a.series.TakesScreen(x.r.Context(), query); err != nil {
			return "", dataUnavailable(err)
		}
	}
	if !taken {
		return "", wrong(in, screenQueryKey, "query_string", "Must be the query string of a screen, of at most 1000 bytes",
			locale.Phrase{"La búsqueda no se puede guardar: abra de nuevo la página de fondos y guárdela desde ahí.",
				"The screen can't be saved: open the page of funds again and save it from there."})
	}
	return query, nil
}

// savedScreens lists the screens of a person with the addresses that open them.
func (a *Handler) savedScreens(x *exchange, person account.Person) (list []accountpages.SavedScreen, err error) {
	saved, err := a.store.Screens(x.r.Context(), person.ID)
	for _, one := range saved {
		texts, err := url.ParseQuery(one.Query)
		if err != nil {
			continue // no such text is ever stored
		}
		list = append(list, accountpages.SavedScreen{Name: one.Name, Link: x.visit.Address("/fondos", texts)})
	}
	return list, err
}

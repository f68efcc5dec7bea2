package area

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"cuota/internal/account"
	"cuota/internal/site/locale"

	"github.com/google/uuid"
)

// Greatest lengths of inputs, in characters (the interface contract, section 4).
const (
	maxEmail            = 254
	maxLoginSecret      = 256
	maxUnsubscribeToken = 2048
	maxSeriesID         = 36 // a UUID
)

// readForm reads the fields of a form on one of the pages.
func readForm(x *exchange) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, wrong("body", "form", "content_type", "Must be sent by the form of this page",
			locale.Phrase{"Use el formulario de esta página.", "Use the form of this page."})
	}
	if err := x.r.ParseForm(); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return nil, errTooLarge
		}
		return nil, wrong("body", "form", "form_parsing", "Must be sent by the form of this page",
			locale.Phrase{"Use el formulario de esta página.", "Use the form of this page."})
	}
	return x.r.PostForm, nil
}

// required returns a text that must exist and have at most maxRunes characters, or a violation.
func required(in, name string, value *string, maxRunes int) (string, error) {
	switch {
	case value == nil:
		return "", invalid{{Loc: []string{in, name}, Type: "missing", Msg: "Field required",
			shown: locale.Phrase{"Falta un dato.", "Something is missing."}}}
	case utf8.RuneCountInString(*value) > maxRunes:
		return "", invalid{{Loc: []string{in, name}, Type: "string_too_long",
			Msg: fmt.Sprintf("Must have at most %d characters", maxRunes),
			shown: locale.Phrase{fmt.Sprintf("Debe tener a lo más %d caracteres.", maxRunes),
				fmt.Sprintf("It must have at most %d characters.", maxRunes)}}}
	}
	return *value, nil
}

// queryText returns a query parameter, or nil if it is missing or repeated.
func queryText(r *http.Request, name string) *string {
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(given[name]) != 1 {
		return nil
	}
	return &given[name][0]
}

// wrongEmail is the violation for an address that is not accepted.
func wrongEmail() error {
	return wrong("body", "email", "email", "Must be an address like name@example.com, of printable ASCII characters",
		locale.Phrase{"Escriba un correo como nombre@ejemplo.cl, sin espacios ni tildes.",
			"Type an address such as name@example.com, without spaces or accents."})
}

// mailed turns an error of MailLink into a problem.
func (a *Handler) mailed(err error) error {
	switch {
	case errors.Is(err, account.ErrInvalidEmail):
		return wrongEmail()
	case errors.Is(err, account.ErrTooManyLinks):
		return a.tooManyLinks()
	}
	return err
}

// used turns an error of using a link into a problem. name is the field that held the link's
// token.
func used(err error, name string) error {
	if errors.Is(err, account.ErrInvalidLink) {
		return wrongLink("body", name)
	}
	return err
}

// seriesID normalises the id of a series: a decimal number without leading zeros, or a UUID in
// lower case.
func seriesID(in, text string) (string, error) {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil && strings.Trim(text, "0123456789") == "" &&
		len(text) <= 10 {
		return strconv.FormatUint(n, 10), nil
	}
	if id, err := uuid.Parse(text); err == nil && len(text) == 36 {
		return id.String(), nil
	}
	return "", wrong(in, "serie_id", "serie_id_parsing", "Must be a whole number from 0 to 4294967295, or a UUID",
		locale.Phrase{"Escriba el número de la serie, o su UUID.", "Type the number of the series, or its UUID."})
}

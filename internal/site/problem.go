package site

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
)

// noBatch is the code of the problem that no batch is published yet.
const noBatch = "no_batch"

// The address of a fund's page, before its RUN, and the parameter that asks a page for a file.
const (
	fundPath = "/fondos/"
	fileKey  = "archivo"
)

// errorTemplates have the page for an error.
var errorTemplates = ParseTemplates(templateFiles, nil)

// ErrorPage is what the page for an error says.
type ErrorPage struct {
	Title     string
	Advice    string     // what the reader can do
	Links     []PageLink // where to go from here
	RequestID string     // of the access log; "" if it is not shown
}

// errorView is the data of the page for an error.
type errorView struct {
	ErrorPage
	Detail  string       // in English, instead of advice
	Wrong   []wrongValue // values of the address that are refused
	Loading bool         // there is no data yet, and the page loads itself again
	Steps   []stepView   // what is done until there is
}

// PageLink is a link to a page, with its name.
type PageLink struct{ Link, Name string }

// wrongValue is a value of the address that is refused.
type wrongValue struct {
	Name    string // of the parameter
	Text    string // what is wrong
	Foreign bool   // the text is in English on a Spanish page
	Input   any
}

// Error returns the page for an error.
func (v *Visit) Error(e ErrorPage) ([]byte, error) { return v.error(errorView{ErrorPage: e}) }

func (v *Visit) error(shown errorView) ([]byte, error) {
	return errorTemplates.Render(v.Lang, "problem", View{v, shown})
}

// NoBatch is the error of a page of the market if there is no batch that may be served.
func NoBatch() error {
	return &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: noBatch, RetryAfter: httpapi.RetrySoon,
		Detail: "No batch of data can be served right now."}
}

// Problem is the page for an error of the HTTP kernel. While the first market is loaded, it shows what is done.
func (f *Frame) Problem(r *http.Request, header http.Header, p httpapi.PageProblem) []byte {
	SetHeaders(header)
	header.Set("Cache-Control", "no-store")
	header.Del("Content-Disposition") // it is no file
	v := f.Visit(r, r.URL.Query())
	shown := errorView{
		ErrorPage: ErrorPage{
			Title:  v.Say("Algo falló de nuestro lado", "Something failed on our side"),
			Advice: problemAdvice[p.Status].In(v.Lang),
			Links:  []PageLink{{v.Link("/"), v.Say("Volver al mercado", "Back to the market")}}, RequestID: p.RequestID,
		},
		Detail: p.Detail, Wrong: v.wrongValues(p.Violations),
	}
	if text, known := problemTitles[p.Status]; known {
		shown.Title = text.In(v.Lang)
	}
	if p.Status == http.StatusNotFound {
		search := v.Link("/buscar")
		// A file that a page does not have is not found either, but then there is the fund.
		if run, is := strings.CutPrefix(r.URL.Path, fundPath); is && !r.URL.Query().Has(fileKey) {
			shown.Title = v.Say("No hay un fondo con el RUN ", "There is no fund with the RUN ") + locale.Shown(run)
			shown.Advice = v.Say("No está en los datos publicados. Revise el RUN, o busque el fondo por su nombre.",
				"It is not in the published data. Check the RUN, or search for the fund by its name.")
			search = v.Link("/buscar", "q", run)
		}
		shown.Links = append([]PageLink{{search, v.Say("Buscar", "Search")}}, shown.Links...)
	}
	if p.Code == noBatch {
		shown.Loading, shown.Title = true,
			v.Say("No hay datos que mostrar en este momento", "There is no data to show right now")
		if f.config.Progress != nil {
			shown.Steps = v.steps(f.config.Progress())
			if slices.ContainsFunc(shown.Steps, func(s stepView) bool { return !s.Done }) {
				shown.Title = v.Say("Se están cargando los datos", "The data is being loaded")
			}
		}
		header.Set("Refresh", strconv.Itoa(httpapi.RetrySoon)) // the page comes again by itself, also without scripts
	}
	body, err := v.error(shown)
	if err != nil {
		return []byte(p.Code) // the template is ours and the tests render it, so this does not happen
	}
	return body
}

var problemTitles = map[int]locale.Phrase{
	http.StatusNotFound: {"Esta página no existe", "There is no such page"},
	http.StatusUnprocessableEntity: {"La dirección tiene un valor no válido",
		"The address has a value that is not valid"},
	http.StatusTooManyRequests:    {"Demasiadas páginas por segundo", "Too many pages a second"},
	http.StatusServiceUnavailable: {"Los datos no se pueden leer en este momento", "The data can't be read right now"},
	http.StatusGone:               {"Esos datos ya no están", "That data is gone"},
}

// problemAdvice says what a reader can do.
var problemAdvice = map[int]locale.Phrase{
	http.StatusNotFound: {"Puede que la dirección tenga un error, o que lo que busca no esté en los datos publicados. " +
		"Búsquelo por su nombre o su RUN.",
		"The address may be mistyped, or what you look for is not in the published data. Search for it by name or RUN."},
	http.StatusTooManyRequests: {"Espere unos segundos y vuelva a cargar la página.",
		"Wait a few seconds and load the page again."},
	http.StatusServiceUnavailable: {"Vuelva a cargar la página en unos segundos.",
		"Load the page again in a few seconds."},
	http.StatusGone: {
		"La dirección nombra un lote que ya no se guarda. Quite batch_id de ella para ver los datos publicados.",
		"The address names a batch that is no longer kept. Remove batch_id from it to see the published data."},
}

var violationTexts = map[string]locale.Phrase{
	"literal_error":              {"elija uno de los valores que hay", "choose one of the values that there are"},
	"enum":                       {"elija uno de los valores que hay", "choose one of the values that there are"},
	"int_parsing":                {"escriba un número entero", "write a whole number"},
	"bool_parsing":               {"escriba true o false", "write true or false"},
	"greater_than_equal":         {"el número es demasiado pequeño", "the number is too small"},
	"less_than_equal":            {"el número es demasiado grande", "the number is too great"},
	"string_too_short":           {"falta el texto", "the text is missing"},
	"string_too_long":            {"el texto es demasiado largo", "the text is too long"},
	"too_long":                   {"son demasiados valores", "there are too many values"},
	"date_parsing":               {"escriba una fecha como 2025-07-31", "write a date such as 2025-07-31"},
	"date_from_datetime_parsing": {"escriba una fecha como 2025-07-31", "write a date such as 2025-07-31"},
	"date_future":                {"la fecha no puede ser futura", "the date can't be in the future"},
	"date_too_early":             {"la fecha es demasiado antigua", "the date is too early"},
	"run_parsing":                {"escriba un RUN como 8011-K", "write a RUN such as 8011-K"},
	"run_check_digit": {"el dígito verificador no corresponde al RUN",
		"the check digit does not belong to the RUN"},
	"asset_id_parsing": {"escriba el identificador de una serie: un número entero o un UUID",
		"write the id of a series: a whole number or a UUID"},
	"duplicate": {"una serie aparece dos veces", "a series is named twice"},
	"missing":   {"falta el valor", "the value is missing"},
	"repeated":  {"la dirección tiene más de un valor", "the address has more than one value"},
}

// ViolationText says what is wrong with a value, by the type of the violation.
func ViolationText(kind string) (text locale.Phrase, known bool) {
	text, known = violationTexts[kind]
	return text, known
}

// wrongValues says what is wrong with the address. In English it is the sentence of the API,
// which names bounds and choices.
func (v *Visit) wrongValues(wrong []httpapi.Violation) []wrongValue {
	list := make([]wrongValue, len(wrong))
	for i, w := range wrong {
		list[i] = wrongValue{Text: w.Msg, Foreign: v.Lang != locale.English, Input: w.Input}
		if len(w.Loc) > 0 {
			list[i].Name = w.Loc[len(w.Loc)-1]
		}
		if text, known := ViolationText(w.Type); known && list[i].Foreign {
			list[i].Text, list[i].Foreign = text.In(v.Lang), false
		}
	}
	return list
}

// stepView is a step as the page shows it.
type stepView struct {
	Step
	Text  string
	Known bool // the share of the work that is done
}

var stepTexts = map[string]locale.Phrase{
	"files": {"Se leen los archivos", "The files are read"},
	"facts": {"Se guardan sus filas", "Their rows are stored"},
	"batch": {"Se calculan rentabilidades, costos y familias", "Returns, costs and families are computed"},
	"serve": {"Se publica el lote", "The batch is published"},
}

func (v *Visit) steps(steps []Step) []stepView {
	list := make([]stepView, len(steps))
	for i, step := range steps {
		list[i] = stepView{Step: step, Text: step.Name, Known: step.Begun && !step.Done && step.Percent >= 0}
		if text, known := stepTexts[step.Name]; known {
			list[i].Text = text.In(v.Lang)
		}
	}
	return list
}

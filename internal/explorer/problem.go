package explorer

import (
	"net/http"
	"slices"
	"strconv"

	"cuota/internal/httpapi"
)

// noBatch is the code of the problem that no batch is published yet.
const noBatch = "no_batch"

// Problem is the page for an error. While the first market is loaded, it shows what is done.
func (e *Explorer) Problem(r *http.Request, header http.Header, p httpapi.PageProblem) []byte {
	pageHeaders(header)
	header.Set("Cache-Control", "no-store")
	header.Del("Content-Disposition") // it is no file
	v := e.visit(r, r.URL.Query())
	if batch, there := e.config.Market.Batch(); there {
		v.Batch = batch
	}
	shown := problemView{PageProblem: p, Title: phrase{"Algo falló de nuestro lado", "Something failed on our side"}.in(v.Lang)}
	if text, known := problemTitles[p.Status]; known {
		shown.Title = text.in(v.Lang)
	}
	if p.Code == noBatch {
		shown.Loading, shown.Title = true, v.say("No hay datos que mostrar en este momento", "There is no data to show right now")
		if e.config.Progress != nil {
			shown.Steps = v.steps(e.config.Progress())
			if slices.ContainsFunc(shown.Steps, func(s stepView) bool { return !s.Done }) {
				shown.Title = v.say("Se están cargando los datos", "The data is being loaded")
			}
		}
		header.Set("Refresh", strconv.Itoa(httpapi.RetrySoon)) // the page comes again by itself, also without scripts
	}
	body, err := render("problem", view{visit: v, Data: shown})
	if err != nil {
		return []byte(p.Code) // the template is ours and the tests render it, so this does not happen
	}
	return body
}

var problemTitles = map[int]phrase{
	http.StatusNotFound:            {"Esta página no existe", "There is no such page"},
	http.StatusUnprocessableEntity: {"La dirección tiene un valor no válido", "The address has a value that is not valid"},
	http.StatusTooManyRequests:     {"Demasiadas páginas por segundo", "Too many pages a second"},
	http.StatusServiceUnavailable:  {"Los datos no se pueden leer en este momento", "The data can't be read right now"},
	http.StatusGone:                {"Esos datos ya no están", "That data is gone"},
}

// problemView is the data of the page for an error.
type problemView struct {
	httpapi.PageProblem
	Title   string
	Loading bool
	Steps   []stepView
}

// stepView is a step as the page shows it.
type stepView struct {
	Step
	Text  string
	Known bool // the share of the work that is done
}

var stepTexts = map[string]phrase{
	"files": {"Se leen los archivos", "The files are read"},
	"facts": {"Se guardan sus filas", "Their rows are stored"},
	"batch": {"Se calculan rentabilidades, costos y familias", "Returns, costs and families are computed"},
	"serve": {"Se publica el lote", "The batch is published"},
}

func (v *visit) steps(steps []Step) []stepView {
	list := make([]stepView, len(steps))
	for i, step := range steps {
		list[i] = stepView{Step: step, Text: step.Name, Known: step.Begun && !step.Done && step.Percent >= 0}
		if text, known := stepTexts[step.Name]; known {
			list[i].Text = text.in(v.Lang)
		}
	}
	return list
}

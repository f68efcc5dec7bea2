package portfolio

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/query/savings"
)

// request is the body of a request: movements, or a CSV of them.
type request struct {
	Movements []movement `json:"movements"`
	CSV       *string    `json:"csv"`
	AsOf      *string    `json:"as_of_date"`
}

// movement is one purchase or sale. Amounts are pointers, so that 0 differs from nothing.
type movement struct {
	Series string   `json:"series"`
	Date   string   `json:"date"`
	Kind   string   `json:"kind"`
	Amount *float64 `json:"amount"`
	Quotas *float64 `json:"quotas"`
	All    bool     `json:"all"`
}

// asked is a valid request.
type asked struct {
	movements []savings.Movement
	asOf      *model.Date // nil: the cutoff
}

// readRequest reads the body of a request. It fails with Invalid, which lists everything that is wrong.
func readRequest(r *http.Request, today model.Date) (asked, error) {
	var body request
	if err := operation.ReadBody(r, &body); err != nil {
		return asked{}, err
	}
	return body.check(today)
}

// check returns the movements of a body, or everything that is wrong with it.
func (body request) check(today model.Date) (out asked, err error) {
	var wrong httpapi.Invalid
	if body.AsOf != nil {
		day, violation := dayOf(*body.AsOf, today)
		if violation != "" {
			wrong = append(wrong, operation.WrongBody("date_parsing", violation, "as_of_date")...)
		}
		out.asOf = &day
	}
	switch {
	case (body.CSV != nil) == (len(body.Movements) > 0):
		wrong = append(wrong, operation.WrongBody("value_error", "Needs either movements or csv")...)
	case body.CSV != nil:
		var lines []savings.LineError
		out.movements, lines = savings.ParseCSV(*body.CSV)
		for _, line := range lines {
			wrong = append(wrong, httpapi.Violation{Loc: []string{"body", "csv", strconv.Itoa(line.Line)},
				Type: line.Fault, Msg: "This line " + line.Explain(), Input: line.Text})
		}
		if len(out.movements)+len(lines) == 0 {
			wrong = append(wrong, operation.WrongBody("value_error", "Has no movements", "csv")...)
		}
	case len(body.Movements) > savings.MaxMovements:
		wrong = append(wrong, operation.WrongBody("too_long", fmt.Sprintf("Must have at most %d movements",
			savings.MaxMovements), "movements")...)
	default:
		names := map[string]bool{}
		for i, m := range body.Movements {
			movement, violations := m.read(i)
			wrong, out.movements = append(wrong, violations...), append(out.movements, movement)
			names[m.Series] = true
		}
		if len(wrong) == 0 && len(names) > savings.MaxSeries {
			wrong = operation.WrongBody("too_long",
				fmt.Sprintf("Must name series in at most %d different ways", savings.MaxSeries), "movements")
		}
	}
	if len(wrong) > maxViolations {
		wrong = wrong[:maxViolations]
	}
	if len(wrong) > 0 {
		return asked{}, wrong
	}
	return out, nil
}

// maxViolations is how many wrong fields and lines are listed. The last line may be the one that says that there are
// more.
const maxViolations = savings.MaxWrong + 1

// read checks one movement of a body.
func (m movement) read(place int) (out savings.Movement, wrong httpapi.Invalid) {
	at := func(field, kind, msg string) {
		wrong = append(wrong, operation.WrongBody(kind, msg, "movements", strconv.Itoa(place), field)...)
	}
	out = savings.Movement{Line: place + 1, Series: m.Series, Kind: savings.Kind(m.Kind),
		Amount: operation.Value(m.Amount), Quotas: operation.Value(m.Quotas), All: m.All}
	var err error
	if out.Date, err = model.ParseDate(m.Date); err != nil {
		at("date", "date_parsing", "Must be a calendar date in the form YYYY-MM-DD, from 1900 to 2100")
	}
	if m.Series == "" || len(m.Series) > savings.MaxSeriesText {
		at("series", "value_error", "Must be the id of a series, or the RUN of its fund and its name, as in 9809-4 B")
	}
	if out.Kind != savings.Buy && out.Kind != savings.Sell {
		at("kind", "literal_error", "Must be one of: buy, sell")
		return out, wrong
	}
	zero := m.Amount != nil && *m.Amount == 0 || m.Quotas != nil && *m.Quotas == 0
	if problem := out.Check(); problem != "" || zero {
		wrong = append(wrong, operation.WrongBody("value_error", "The movement "+cmp.Or(problem,
			"needs an amount or quotas above 0"), "movements", strconv.Itoa(place))...)
	}
	return out, wrong
}

// dayOf reads the day of the valuation, which must not be in the future.
func dayOf(text string, today model.Date) (model.Date, string) {
	day, err := model.ParseDate(text)
	if err != nil {
		return day, "Must be a calendar date in the form YYYY-MM-DD"
	}
	return day, wrongDay(day, today)
}

// FirstDay is the first day of a valuation. No series of the market is older.
var FirstDay = model.NewDate(1971, time.January, 1)

// wrongDay says why there is no valuation on a day; "" if there is.
func wrongDay(day, today model.Date) string {
	switch {
	case day.Compare(today) > 0:
		return "Must not be in the future"
	case day.Compare(FirstDay) < 0:
		return "Must not be before " + FirstDay.String()
	}
	return ""
}

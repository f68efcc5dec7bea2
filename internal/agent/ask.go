package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"cuota/client"
)

// maxAsked is how many series one call may name.
const maxAsked = 10

type askArguments struct {
	Series    list   `json:"series"`
	Figures   list   `json:"figures"`
	Window    list   `json:"window"`
	From      string `json:"from"`
	To        string `json:"to"`
	Date      string `json:"date"`
	Valuation string `json:"valuation"`
}

func (s *server) ask() tool {
	return tool{name: "ask", run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var given askArguments
		if err := readArguments(arguments, &given); err != nil {
			return "", err
		}
		q, err := newQuestion(given)
		if err != nil {
			return "", err
		}
		return s.answer(ctx, q)
	}}
}

// question is a checked call of ask.
type question struct {
	series    list
	figures   []string // of figureWords
	windows   []string // of windowWords; none if the return is that between two days
	from, to  string
	date      string
	valuation string // "" is accounting
}

func newQuestion(given askArguments) (*question, error) {
	q := &question{series: given.Series, from: given.From, to: given.To, date: given.Date}
	if len(q.series) == 0 || len(q.series) > maxAsked {
		return nil, fmt.Errorf(
			"series: name 1 to %d series, by RUN and series, id or words; screen lists more series at once",
			maxAsked,
		)
	}
	if err := checkDates(map[string]string{"from": q.from, "to": q.to, "date": q.date}); err != nil {
		return nil, err
	}
	for _, text := range given.Figures {
		figure, err := figureWords.read("figures", text)
		if err != nil {
			return nil, err
		}
		if figure != "" && !slices.Contains(q.figures, figure) {
			q.figures = append(q.figures, figure)
		}
	}
	if len(q.figures) == 0 {
		q.figures = []string{"return"}
	}
	for _, text := range given.Window {
		if fold(text) == "all" {
			q.windows = windowWords.values()
			continue
		}
		window, err := windowWords.read("window", text)
		if err != nil {
			return nil, err
		}
		if window != "" && !slices.Contains(q.windows, window) {
			q.windows = append(q.windows, window)
		}
	}
	var err error
	if q.valuation, err = valuationWords.read("valuation", given.Valuation); err != nil {
		return nil, err
	}
	between := q.from != "" || q.to != ""
	switch {
	case between && (q.from == "" || q.to == ""):
		return nil, errors.New("from and to: give both days, or window and date")
	case between && q.from >= q.to:
		return nil, errors.New("from must be before to")
	case between && (len(q.windows) > 0 || q.date != ""):
		return nil, errors.New("give either from and to, or window and date")
	case between && q.valuation != "" && q.valuation != "accounting":
		return nil, errors.New(
			"between two days there is only the valuation accounting, in the currency of the series; " +
				"clp and real_uf are for windows",
		)
	case !between && len(q.windows) == 0:
		q.windows = []string{"1y"}
	}
	if q.valuation == "accounting" {
		q.valuation = ""
	}
	return q, nil
}

func (q *question) wants(figure string) bool { return slices.Contains(q.figures, figure) }

// named is a series that is asked about.
type named struct {
	ID       string   `json:"id"`
	Series   string   `json:"series"` // RUN and series
	Fund     string   `json:"fund,omitempty"`
	Currency string   `json:"currency,omitempty"`
	Status   string   `json:"status,omitempty"` // only of series that are not current
	Figures  []figure `json:"figures"`
	// alone: the series is closed, or of an investment fund, so that a comparison has no row of it
	alone bool
}

// figure is a value with its unit and the days that it is of, or the reason why there is none.
type figure struct {
	Figure string `json:"figure"`
	Value  any    `json:"value"`
	Unit   string `json:"unit,omitempty"`
	Reason string `json:"reason,omitempty"`
	Kind   string `json:"kind,omitempty"` // of a cost rate
	From   string `json:"from,omitempty"`
	Date   string `json:"date,omitempty"`
}

// valued makes a figure. Without a value it has no unit, and a reason.
func valued[T any](name string, value *T, unit, date, reason string) figure {
	f := figure{Figure: name, Value: value, Unit: unit, Date: date}
	if value == nil {
		f.Unit, f.Reason = "", reason
		if reason == "" {
			f.Reason = "not stated by the sources"
		}
	}
	return f
}

// answer asks the API for what a question needs, all from the batch of the first reply.
func (s *server) answer(ctx context.Context, q *question) (string, error) {
	var of origin
	var sources []string
	from := func(batchID, source string) {
		if of.BatchID == "" {
			of.BatchID = batchID
		}
		if !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	series, err := s.resolve(ctx, q.series, &of)
	if err != nil {
		return "", err
	}
	if len(q.windows) == 0 && q.wants("return") {
		if err := s.between(ctx, q, series, of.BatchID, from); err != nil {
			return "", err
		}
		of.AsOfDate = q.to
	}
	if of.AsOfDate == "" || slices.ContainsFunc(q.figures, func(name string) bool { return name != "return" }) {
		date, err := s.compare(ctx, q, series, of.BatchID, from)
		if err != nil {
			return "", err
		}
		if date != "" { // returns between two days state their own days
			of.AsOfDate = date
		}
	}
	of.Source = strings.Join(sources, ", ")
	return fitting(len(series), func(n int) any {
		of := of
		if n < len(series) {
			of.Left = fmt.Sprintf("%d series: ask for them in another call, or for fewer windows", len(series)-n)
		}
		return struct {
			Answers []*named `json:"answers"`
			origin
		}{series[:n], of}
	})
}

// resolve finds the series that are named. A series that is named by its id is not searched.
func (s *server) resolve(ctx context.Context, texts list, of *origin) ([]*named, error) {
	var series []*named
	for _, text := range texts {
		if text = strings.TrimSpace(text); isID(text) {
			series = append(series, &named{ID: text})
			continue
		}
		one, err := s.find(ctx, text, of)
		if err != nil {
			return nil, err
		}
		series = append(series, one)
	}
	for i, one := range series {
		if slices.ContainsFunc(series[:i], func(other *named) bool { return other.ID == one.ID }) {
			return nil, fmt.Errorf("series: %q names a series that stands in the list before", short(texts[i]))
		}
	}
	return series, nil
}

// isID reports whether a text can only be the decimal id of a series. Fewer digits may be a RUN.
func isID(text string) bool {
	return len(text) > 5 && len(text) <= 10 && strings.Trim(text, "0123456789") == ""
}

// find returns the one series that a text names. If there are several, the error lists them.
func (s *server) find(ctx context.Context, text string, of *origin) (*named, error) {
	const page = 50
	if fold(text) == "" {
		return nil, errors.New("series: a name is empty")
	}
	list, err := s.api.Search(ctx, text, page, 0, of.BatchID)
	if err != nil {
		return nil, err
	}
	of.BatchID = list.BatchID
	if list.Total == 0 {
		return nil, s.nothingNamed(ctx, text)
	}
	matching := list.Series
	if len(matching) > 1 {
		plain := fold(text)
		matching = slices.DeleteFunc(slices.Clone(list.Series), func(k client.Known) bool {
			return !slices.Contains([]string{fold(k.Run + " " + k.Serie), fold(k.FundName + " " + k.Serie),
				fold(strings.TrimPrefix(k.FundName, "FONDO MUTUO ") + " " + k.Serie)}, plain)
		})
	}
	if len(matching) == 1 {
		k := matching[0]
		one := &named{ID: k.ID, Series: k.Run + " " + k.Serie, Fund: k.FundName, Currency: deref(k.Currency)}
		if k.Status != "current" || k.Vehicle != "mutual_fund" {
			one.Status, one.alone = k.Status, true
			if k.LastDate != nil {
				one.Status += ", last quota " + *k.LastDate
			}
		}
		return one, nil
	}
	var names []string
	for _, k := range list.Series[:min(len(list.Series), 8)] {
		names = append(names, fmt.Sprintf("%s %s (%s, id %s, %s)", k.Run, k.Serie, k.FundName, k.ID, k.Status))
	}
	more := ""
	if list.Total > len(names) {
		more = fmt.Sprintf("; and %d more, which search lists", list.Total-len(names))
	}
	return nil, fmt.Errorf(
		"series: %q names %d series. Name one of them by RUN and series, or by id: %s%s",
		short(text),
		list.Total,
		strings.Join(names, "; "),
		more,
	)
}

// between adds the returns between two days.
func (s *server) between(ctx context.Context, q *question, series []*named, batchID string,
	from func(batchID, source string)) error {
	var ids []string
	for _, one := range series {
		if len(one.ID) > 10 { // a UUID
			one.Figures = append(
				one.Figures,
				figure{Figure: "return", Reason: "returns between two days are only of mutual funds"},
			)
			continue
		}
		ids = append(ids, one.ID)
	}
	if len(ids) == 0 {
		return nil
	}
	periods, batch, err := s.api.ReturnsBetween(ctx, ids, q.from, q.to, batchID)
	if err != nil {
		return err
	}
	from(batch, "GET /api/returns")
	if err := s.rename(ctx, series, batch, func(id string) bool {
		return slices.ContainsFunc(periods, func(p client.Period) bool { return p.ID == id })
	}); err != nil {
		return err
	}
	for _, one := range series {
		for _, p := range periods {
			if p.ID != one.ID {
				continue
			}
			one.describe(p.Run, p.Serie, p.FundName, deref(p.Currency))
			f := valued("return", p.Value, "fraction", deref(p.End), deref(p.Reason))
			f.From = deref(p.Start)
			one.Figures = append(one.Figures, f)
		}
	}
	return nil
}

// rename gives series that were named by an earlier id the id that they have now. A reply has rows of current ids
// alone; answered says of which.
func (s *server) rename(ctx context.Context, series []*named, batchID string, answered func(id string) bool) error {
	for i, one := range series {
		if one.alone || len(one.ID) > 10 || answered(one.ID) {
			continue
		}
		list, err := s.api.Search(ctx, one.ID, 1, 0, batchID)
		if err != nil {
			return err
		}
		if list.Total == 0 || !answered(list.Series[0].ID) {
			return fmt.Errorf("series: nothing is known of the id %s; search finds series by words and by RUN", one.ID)
		}
		one.ID = list.Series[0].ID
		if slices.ContainsFunc(series[:i], func(other *named) bool { return other.ID == one.ID }) {
			return fmt.Errorf("series: two ids name the series %s", one.ID)
		}
	}
	return nil
}

// describe fills in what is not known of a series that was named by its id.
func (n *named) describe(run, serie, fund, currency string) {
	if n.Series == "" {
		n.Series = run + " " + serie
	}
	if n.Fund == "" {
		n.Fund = fund
	}
	if n.Currency == "" {
		n.Currency = currency
	}
}

// compare adds the figures of a date. It returns the date that answers.
func (s *server) compare(ctx context.Context, q *question, series []*named, batchID string,
	from func(batchID, source string)) (string, error) {
	date := q.date
	var ids []string
	for _, one := range series {
		if !one.alone {
			ids = append(ids, one.ID)
		}
	}
	if len(ids) > 0 {
		page, err := s.api.Compare(ctx, ids, client.CompareOptions{AsOfDate: q.date, BatchID: batchID,
			Fields: comparedFields(q)})
		if refused, is := errors.AsType[*client.Error](err); is && refused.Status == http.StatusNotFound {
			return "", s.explainUnknown(ctx, ids, err)
		}
		if err != nil {
			return "", err
		}
		from(page.BatchID, "POST /api/compare")
		date, batchID = page.AsOfDate, page.BatchID
		if err := s.rename(ctx, series, batchID, func(id string) bool {
			return slices.ContainsFunc(page.Series, func(row client.Series) bool { return row.ID == id })
		}); err != nil {
			return "", err
		}
		for _, one := range series {
			for i := range page.Series {
				if row := &page.Series[i]; row.ID == one.ID {
					one.describe(row.Run, row.Serie, row.FundName, deref(row.Currency))
					one.Figures = append(one.Figures, figuresOf(q, row, page.TACKinds[row.ID])...)
				}
			}
		}
	}
	for _, one := range series {
		if len(q.windows) > 0 && q.wants("return") && (one.alone || q.valuation != "") {
			returns, err := s.api.Returns(ctx, one.ID, q.date, q.valuation, batchID)
			if err != nil {
				return "", err
			}
			from(returns.BatchID, "GET /api/real_assets/{asset_id}/returns")
			one.describe(returns.Run, returns.Serie, "", returns.Currency)
			one.Figures = append(one.Figures, windowsOf(q, returns)...)
			if date == "" {
				date = deref(returns.AsOfDate)
			}
		}
		if one.alone {
			for _, name := range q.figures {
				if name != "return" {
					one.Figures = append(one.Figures, figure{Figure: name,
						Reason: "of closed series and of investment funds only returns are known; sql has their days"})
				}
			}
		}
	}
	return date, nil
}

// comparedFields are the attributes of a comparison that a question needs.
func comparedFields(q *question) []string {
	fields := []string{"run", "serie", "fundName", "currency"}
	for _, name := range q.figures {
		switch name {
		case "return":
			if q.valuation == "" {
				for _, window := range q.windows {
					fields = append(fields, "returns.periods."+window)
				}
			}
		case "tac":
			fields = append(fields, "tac", "tac_as_of_date")
		case "equity":
			fields = append(fields, "patrimony", "price_as_of_date")
		case "quota":
			fields = append(fields, "price", "price_as_of_date")
		case "shareholders":
			fields = append(fields, "shareholders", "price_as_of_date")
		case "risk":
			fields = append(fields, "volatility_annualized_12m", "volatility_annualized_36m", "max_drawdown_36m",
				"risk_level", "risk_as_of_date")
		case "spheres":
			fields = append(fields, "cmf_spheres")
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// figuresOf returns the figures that a question wants of a row of a comparison.
func figuresOf(q *question, row *client.Series, tacKind string) (figures []figure) {
	currency := deref(row.Currency)
	for _, name := range q.figures {
		switch name {
		case "return":
			if row.Returns != nil && q.valuation == "" {
				figures = append(figures, windowsOf(q, row.Returns)...)
			}
		case "tac":
			f := valued(name, row.TAC, "fraction a year", deref(row.TACDate), "")
			f.Kind = tacKind
			figures = append(figures, f)
		case "equity":
			figures = append(figures, valued(name, row.Equity, "millions of "+currency, deref(row.PriceDate), ""))
		case "quota":
			figures = append(figures, valued(name, row.Price, currency, deref(row.PriceDate), ""))
		case "shareholders":
			figures = append(figures, valued(name, row.Shareholders, "number", deref(row.PriceDate), ""))
		case "risk":
			const few = "too few months"
			date := deref(row.RiskDate)
			figures = append(figures, valued("volatility_12m", row.Volatility12m, "fraction a year", date, few),
				valued("volatility_36m", row.Volatility36m, "fraction a year", date, few),
				valued("max_drawdown_36m", row.Drawdown36m, "fraction", date, few),
				valued("risk_level", row.RiskLevel, "", date, few))
		case "spheres":
			rating := row.Rating
			if rating == nil {
				rating = &client.Rating{}
			}
			figures = append(figures, valued(name, rating.Value, "1 to 5, 5 is best", deref(rating.AsOfDate),
				deref(rating.Reason)))
		}
	}
	return figures
}

// windowsOf returns the returns that a question wants.
func windowsOf(q *question, returns *client.Returns) (figures []figure) {
	for _, name := range q.windows {
		w, known := returns.Windows[name]
		if !known {
			figures = append(figures, figure{Figure: "return " + name, Reason: "not in the reply"})
			continue
		}
		unit := "fraction"
		if strings.HasSuffix(name, "_ann") {
			unit = "fraction a year"
		}
		if q.valuation != "" {
			unit += " (" + q.valuation + ")"
		}
		f := valued("return "+name, w.Value, unit, deref(w.End), deref(w.Reason))
		f.From = deref(w.Start)
		if w.Value == nil {
			f.From, f.Date = w.TargetStart, w.TargetEnd
		}
		figures = append(figures, f)
	}
	return figures
}

// explainUnknown says which of the ids that a comparison does not know is closed or unknown.
func (s *server) explainUnknown(ctx context.Context, ids []string, refused error) error {
	for _, id := range ids {
		list, err := s.api.Search(ctx, id, 1, 0, "")
		if err != nil {
			return err
		}
		if list.Total == 0 {
			return fmt.Errorf("series: no series has the id %s; search finds series by words and by RUN", id)
		}
		if k := list.Series[0]; k.Status != "current" {
			return fmt.Errorf(
				"series: %s %s (id %s) is %s; its last quota is of %s. Name it as %q to get its returns",
				k.Run,
				k.Serie,
				id,
				k.Status,
				deref(k.LastDate),
				k.Run+" "+k.Serie,
			)
		}
	}
	return refused
}

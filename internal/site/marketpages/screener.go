package marketpages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/summary"
)

// screenerOperation is what the page asks. Its parameters are those of the page, with the same
// names.
const screenerOperation = "/api/screener"

// screenerRows is how many series a page shows.
const screenerRows = 50

// The parameters of the operation that the page treats in a way of its own, besides its filters.
const (
	apiSort   = "sort"
	apiOrder  = "order"
	apiLimit  = "limit"      // always screenerRows
	apiOffset = "offset"     // of the links to other pages
	apiBatch  = "batch_id"   // of the links to other pages
	apiAsOf   = "as_of_date" // dateKey of the page
	apiFormat = "format"     // always JSON
	apiFields = "fields"     // always all, because the page shows what it needs
)

// screenerPage finds series: the filters of the screener as a form, and one page of its rows.
var screenerPage = page{
	path: "/fondos", keys: []string{dateKey, columnsKey, sourceKey}, more: screenerKeys, template: "screener",
	load: func(ctx context.Context, v *visit) (any, error) {
		choices, err := find(ctx, v, market.ScreenerChoices)
		if err != nil {
			return nil, err
		}
		var out screenerView
		columns, cut := v.readColumns()
		shown, err := v.screened(ctx)
		if isGone(err) {
			out.Gone = true
			v.Texts.Del(apiBatch)
			v.Texts.Del(apiOffset)
			shown, err = v.screened(ctx)
		}
		var wrong httpapi.Invalid
		if errors.As(err, &wrong) {
			out.Problems = v.screenerProblems(wrong)
		} else if err != nil {
			return nil, err
		}
		out.Form = v.screenerForm(optionsOf(choices), out.Problems)
		out.Columns = v.columnForm(columns, cut)
		out.Chosen = v.chosenFilters(out.Form)
		out.Request = v.screenerRequest()
		if len(out.Problems) == 0 {
			if shown.Source == "" {
				shown.Stated, err = find(ctx, v, summary.OfficialReturnsOfSeries, "date", v.Date())
				if err != nil {
					return nil, err
				}
			}
			v.showScreened(&out, shown, columns)
		}
		return out, nil
	},
}

// screenerKeys returns the parameters that the page reads: the filters, and how to sort and page.
func screenerKeys(b Batch) []string {
	var names []string
	for _, p := range b.Parameters(screenerOperation) {
		if p.In == "query" && !slices.Contains([]string{apiLimit, apiAsOf, apiFormat, apiFields}, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// usualSort is how the page sorts if the reader has not chosen: the operation would sort by id, which tells nothing.
// Cost rates of one kind stand together, because those of different kinds do not compare.
const usualSort = "tac_by_kind"

// The page shows series that somebody holds. heldKey is the filter of the operation; with the value allHeld the page
// shows the others too.
const (
	heldKey = "held"
	allHeld = "todas"
)

// knows reports whether the operation has a parameter.
func (v *visit) knows(name string) bool {
	return slices.ContainsFunc(v.Batch.Parameters(screenerOperation),
		func(p httpapi.Parameter) bool { return p.Name == name })
}

// sort returns by what the rows are sorted.
func (v *visit) sort() string { return cmp.Or(v.Text(apiSort), usualSort) }

// screenerTexts returns the parameters of the operation for this page.
func (v *visit) screenerTexts() url.Values {
	texts := url.Values{apiLimit: {strconv.Itoa(screenerRows)}, apiSort: {usualSort}}
	for _, name := range screenerKeys(v.Batch) {
		if given := v.Texts[name]; len(given) > 0 {
			texts[name] = given
		}
	}
	switch texts.Get(heldKey) {
	case allHeld:
		texts.Del(heldKey)
	case "":
		if v.knows(heldKey) {
			texts.Set(heldKey, "true")
		}
	}
	if date := v.Date(); date != "" {
		texts.Set(apiAsOf, date)
	}
	return texts
}

// screenedRows are the rows of a page. Source is whose returns sort them, and Own and Official are of how many of the
// found series each source has one; Source is empty if they are sorted by anything else than the returns of
// market.OfficialWindows. Stated is what the regulator states of all series.
type screenedRows struct {
	market.Screened
	Source        string
	Own, Official uint64
	Stated        summary.StatedReturns
}

// screened asks for the rows of this page.
func (v *visit) screened(ctx context.Context) (screenedRows, error) {
	if wrong := v.notAmong(sourceKey, ownReturns, ofCMF); wrong != nil {
		return screenedRows{}, httpapi.Invalid(wrong)
	}
	texts := v.screenerTexts()
	if !slices.Contains(market.OfficialWindows, v.sort()) {
		rows, err := findTexts(ctx, v, market.Screener, texts)
		return screenedRows{Screened: rows}, err
	}
	switch v.Text(sourceKey) {
	case ownReturns:
		texts.Set("source", market.OwnReturns)
	case ofCMF:
		texts.Set("source", market.OfficialReturns)
	}
	found, err := findTexts(ctx, v, market.ScreenerRanking, texts)
	meta := found.Meta
	return screenedRows{market.Screened{Data: found.Data, Meta: meta.ScreenedMeta, Listing: found.Listing}, meta.Source,
		meta.Own, meta.Official, meta.Stated}, err
}

// isGone reports whether an operation answered that the batch that was named is not kept any more.
func isGone(err error) bool {
	var p *httpapi.Problem
	return errors.As(err, &p) && p.Status == http.StatusGone
}

// hasOneKind reports whether the page has all series that were found, and their cost rates are of one kind.
func hasOneKind(shown market.Screened) bool {
	kinds := slices.Sorted(maps.Values(shown.Meta.TACKinds.ByID()))
	return int(shown.Meta.Total) <= len(shown.Data) && len(slices.Compact(kinds)) <= 1
}

// classOf is the class by which the screener filters a series, and nil if none is stated.
func classOf(s market.Resource) *string {
	return cmp.Or(s.Attributes.ClassificationClass, s.Attributes.InvestorClass)
}

// hasStart reports whether, for some window, the return is known or is missing for another reason than
// missing_start_quote.
func hasStart(s market.Resource) bool {
	for _, period := range s.Attributes.Returns.Periods {
		if period.Reason == nil || *period.Reason != "missing_start_quote" {
			return true
		}
	}
	return false
}

// screenerView is the data of the page.
type screenerView struct {
	Form     screenerForm
	Columns  columnForm
	Chosen   []chosenFilter
	Problems []fieldProblem // if there are any, nothing below is there
	Gone     bool           // the batch of the address is not kept any more
	Request  string         // the same as a request to the API; "" if that can't sort so

	AsOf              *model.Date
	Older             string // the batch that is shown, if it is not the published one
	Past              []string
	Total, From, To   int
	Page, Pages       int
	First, Prev, Next string
	Table             table
	SortedBy          string
	Reverse           chosenFilter  // the other order
	Living            bool          // only those of the past day that are open today
	OtherSource       *chosenFilter // the same windows by the returns of the other source; nil without
	OfCMF             bool          // the returns of the CMF sort the rows
	MixedCosts        bool          // the rows are sorted by TAC of whatever kind
	Kinds             []chosenFilter
	ForAnyone         string      // address without the filters that say for whom series are; "" if there is none
	WithUnheld        string      // address with the series that nobody holds, if they are left out
	Stated            *model.Date // of the regulator's returns, if the table has any
	NoReturns         bool        // no row of this page has a quota at the start of any window
	Save              string      // address that saves this choice; "" without accounts
	CSV, Parquet      string
	Begin             string // address of the first page of the published batch
}

// chosenFilter is a filter that the reader has chosen, or may choose, and the address that
// changes it.
type chosenFilter struct{ Text, Link string }

// showScreened fills in what depends on the rows.
func (v *visit) showScreened(out *screenerView, rows screenedRows, columns []screenerColumn) {
	shown := rows.Screened
	out.AsOf, out.Total = shown.Meta.AsOf, int(shown.Meta.Total)
	if shown.Meta.BatchID != v.Batch.ID() {
		out.Older = shown.Meta.BatchID
	}
	out.Begin = v.Here(apiOffset, "", apiBatch, "")
	if past := shown.Meta.Past; past != nil {
		out.Living = past.SurvivorshipBias
		out.Past = v.pastNotes(past.Complete, past.SurvivorshipBias, past.ClassifiedLater)
	}
	from := int(shown.Meta.Offset)
	out.From, out.To = from+1, from+len(shown.Data)
	out.Page, out.Pages = from/screenerRows+1, (out.Total+screenerRows-1)/screenerRows
	at := func(offset int) string {
		text := ""
		if offset > 0 {
			text = strconv.Itoa(offset)
		}
		return v.Here(apiOffset, text, apiBatch, shown.Meta.BatchID) + "#resultado"
	}
	if from > 0 {
		out.First, out.Prev = at(0), at(max(0, min(from-screenerRows, (out.Total-1)/screenerRows*screenerRows)))
	}
	if out.To < out.Total && len(shown.Data) > 0 {
		out.Next = at(out.To)
	}
	out.Table = v.screenerTable(rows, columns)
	if v.Text(columnsKey) == "" { // the reader has not chosen the columns
		out.Table.fold(v)
	}
	for i, chosen := range out.Chosen { // on paper, only the caption tells what was chosen
		out.Table.Caption += []string{": ", "; "}[min(i, 1)] + chosen.Text
	}
	out.SortedBy, out.Reverse = v.sortedBy(rows.Source)
	switch {
	case rows.Source == market.OfficialReturns:
		out.OfCMF, out.Request = true, "" // the API does not sort by them
		if rows.Own == 0 {
			break
		}
		out.OtherSource = &chosenFilter{v.rankingText(rows.Own, v.Say("ordenar por las del valor cuota",
			"sort by those of the unit price")), v.Here(sourceKey, ownReturns, apiOffset, "", apiBatch, "") + "#resultado"}
	case rows.Source == market.OwnReturns && rows.Official > 0:
		out.OtherSource = &chosenFilter{v.rankingText(rows.Official, v.Say("ordenar por las que informa la CMF",
			"sort by those that the CMF states")), v.Here(sourceKey, ofCMF, apiOffset, "", apiBatch, "") + "#resultado"}
	}
	if v.sort() == "tac" && v.Text("tac_kind") == "" && !hasOneKind(shown) {
		out.MixedCosts = true
		for _, kind := range []string{"synthetic", "stated", "computed"} {
			out.Kinds = append(out.Kinds, chosenFilter{tacKinds[kind].In(v.Lang),
				v.Here("tac_kind", kind, apiOffset, "", apiBatch, "")})
		}
	}
	if slices.ContainsFunc(forWhomFields, func(name string) bool { return v.Text(name) != "" }) {
		without := []string{apiOffset, "", apiBatch, ""}
		for _, name := range forWhomFields {
			without = append(without, name, "")
		}
		out.ForAnyone = v.Here(without...) + "#resultado"
	}
	if v.knows(heldKey) && v.Text(heldKey) == "" {
		out.WithUnheld = v.Here(heldKey, allHeld, apiOffset, "", apiBatch, "") + "#resultado"
	}
	ofCMF := func(c cell) bool { return strings.HasPrefix(c.Sub, ofRegulator) && c.Number != nil }
	if slices.ContainsFunc(out.Table.Rows, func(r row) bool { return slices.ContainsFunc(r.Cells, ofCMF) }) {
		out.Stated = rows.Stated.Date
	}
	out.NoReturns = out.Stated == nil && len(shown.Data) > 0 && !slices.ContainsFunc(shown.Data, hasStart)
	texts := v.screenerTexts()
	if held := v.Text(heldKey); held != "" {
		texts.Set(heldKey, held) // the files have the same default
	}
	texts.Del(apiLimit)
	texts.Del(apiAsOf)
	if texts.Get(apiOffset) != "" {
		texts.Set(apiBatch, shown.Meta.BatchID)
	}
	if date := v.Date(); date != "" {
		texts.Set(dateKey, date)
	}
	if source := v.Text(sourceKey); source != "" {
		texts.Set(sourceKey, source)
	}
	if v.Accounts {
		out.Save = v.Visit.Link("/account/screens", "nombre", out.chosenText(), "busqueda", v.savedQuery())
	}
	out.CSV, out.Parquet = v.Address(screenerCSV.path, texts), v.Address(screenerParquet.path, texts)
}

// chosenText names the filters in force, for a saved screen.
func (out *screenerView) chosenText() string {
	var parts []string
	for _, chosen := range out.Chosen {
		parts = append(parts, chosen.Text)
	}
	return strings.Join(parts, "; ")
}

// savedQuery is the query string of the page as a saved screen keeps it.
func (v *visit) savedQuery() string {
	texts := url.Values{}
	for _, key := range v.Keys {
		if given := v.Texts[key]; len(given) > 0 && key != apiOffset && key != apiBatch && key != dateKey {
			texts[key] = given
		}
	}
	return texts.Encode()
}

// pastNotes says what a past date can't show.
func (v *visit) pastNotes(complete, biased, classifiedLater bool) (notes []string) {
	if !complete {
		notes = append(notes, v.Say("Ese día no está completo para todo el mercado.",
			"That day is not complete for the whole market."))
	}
	if biased {
		notes = append(notes, v.Say("Faltan las series que cerraron después de esa fecha.",
			"Series that closed after that date are missing."))
	}
	if classifiedLater {
		notes = append(notes, v.Say("La familia de algunas series se publicó por primera vez después de esa fecha.",
			"The family of some series was first stated after that date."))
	}
	return notes
}

// rankedWords say by which returns the rows are sorted, by their source and the window.
var rankedWords = map[string]map[string]locale.Phrase{
	market.OwnReturns: {
		"1y": {"rentabilidad del valor cuota a 1\u00a0año", "return of the unit price over 1\u00a0year"},
		"3y_ann": {"rentabilidad anual del valor cuota a 3\u00a0años",
			"yearly return of the unit price over 3\u00a0years"},
		"5y_ann": {"rentabilidad anual del valor cuota a 5\u00a0años",
			"yearly return of the unit price over 5\u00a0years"},
	},
	market.OfficialReturns: {
		"1y":     {"rentabilidad a 1\u00a0año según la CMF", "return over 1\u00a0year by the CMF"},
		"3y_ann": {"rentabilidad anual a 3\u00a0años según la CMF", "yearly return over 3\u00a0years by the CMF"},
		"5y_ann": {"rentabilidad anual a 5\u00a0años según la CMF", "yearly return over 5\u00a0years by the CMF"},
	},
}

// sortedBy says in what order the rows are, and links to the other one. source is whose returns sort them, "" if none
// do.
func (v *visit) sortedBy(source string) (by string, reverse chosenFilter) {
	order, other, next := "asc", "desc", "desc"
	if v.Text(apiOrder) == "desc" {
		order, other, next = "desc", "asc", ""
	}
	by = worded(sortWords, v.sort()).In(v.Lang)
	if v.sort() == usualSort {
		by += v.Say(" (sintética, informada, calculada)", " (synthetic, stated, computed)")
	}
	if ranked, known := rankedWords[source][v.sort()]; known {
		by = ranked.In(v.Lang)
	}
	by += ", " + orderWords[order].In(v.Lang)
	return by, chosenFilter{orderWords[other].In(v.Lang), v.Here(apiOrder, next, apiOffset, "", apiBatch, "") +
		"#resultado"}
}

// rankingText names another source of the returns, and of how many series they are.
func (v *visit) rankingText(series uint64, action string) string {
	text := action + " (" + v.count(int(series)).Text
	if series == 1 {
		return text + v.Say(" serie)", " series)")
	}
	return text + " series)"
}

// linkSorts gives the columns the links by which the operation sorts.
func (v *visit) linkSorts(columns []column) {
	by, descending := v.sort(), v.Text(apiOrder) == "desc"
	for i := range columns {
		c := &columns[i]
		if c.Key == "" {
			continue
		}
		// The first click shows the greatest, but the smallest cost and id.
		next := "desc"
		if c.Key == "tac" || c.Key == "id" {
			next = ""
		}
		sorted := c.Key == by
		if c.Key == "tac" {
			sorted, c.Key = sorted || by == usualSort, usualSort
		}
		if sorted {
			c.Sorted, next = "ascending", "desc"
			if descending {
				c.Sorted, next = "descending", ""
			}
		}
		c.Link = v.Here(apiSort, c.Key, apiOrder, next, apiOffset, "", apiBatch, "") + "#resultado"
	}
}

// screenerRequest returns the page's rows as a command that asks the API.
func (v *visit) screenerRequest() string {
	base := cmp.Or(strings.TrimSuffix(v.base, "/"), "http://127.0.0.1:8080")
	return `curl -H "X-Api-Key: $KEY" '` + base + screenerOperation + "?" + v.screenerTexts().Encode() + `'`
}

// Count returns a whole number as text.
func (v *visit) Count(n int) string { return v.count(n).Text }

// TakesScreen reports whether the page of the screener takes the query string of a saved screen: it reads each of its
// parameters, and the operation takes their values.
func TakesScreen(ctx context.Context, b Batch, query string) (bool, error) {
	texts, err := url.ParseQuery(query)
	if err != nil {
		return false, nil
	}
	read := slices.Concat(screenerPage.keys, screenerKeys(b))
	for name := range texts {
		if !slices.Contains(read, name) {
			return false, nil
		}
	}
	v := &visit{Visit: site.Visit{Texts: texts}, Batch: b}
	if v.notAmong(sourceKey, ownReturns, ofCMF) != nil {
		return false, nil
	}
	asked := v.screenerTexts()
	asked.Set(apiLimit, "1")
	_, err = findTexts(ctx, v, market.Screener, asked)
	if errors.As(err, new(httpapi.Invalid)) {
		return false, nil
	}
	return err == nil, b.Check(ctx, err)
}

// ScreenSeries returns the ids of all series that the page of the screener finds in a batch, in ascending order, for
// the query string of a saved screen. It returns false if the query has a wrong value, or if the batch is not kept any
// more.
func ScreenSeries(ctx context.Context, b Batch, query, batchID string) (ids []string, there bool, err error) {
	texts, err := url.ParseQuery(query)
	if err != nil {
		return nil, false, nil // such a text finds nothing
	}
	v := &visit{Visit: site.Visit{Texts: texts}, Batch: b}
	v.Texts.Del(dateKey)
	asked := v.screenerTexts()
	asked.Del(apiOrder)
	for name, value := range map[string]string{apiSort: "id", apiLimit: strconv.Itoa(mostScreened), apiBatch: batchID} {
		asked.Set(name, value)
	}
	for {
		asked.Set(apiOffset, strconv.Itoa(len(ids)))
		page, err := findTexts(ctx, v, market.Screener, asked)
		switch {
		case errors.As(err, new(httpapi.Invalid)) || isGone(err):
			return nil, false, nil
		case err != nil:
			return nil, false, err
		}
		for _, s := range page.Data {
			ids = append(ids, s.ID)
		}
		switch whole := len(ids) >= int(page.Meta.Total); {
		case whole:
			err := b.Check(ctx, nil)
			if isGone(err) {
				return nil, false, nil
			}
			return ids, err == nil, err
		case len(page.Data) == 0:
			return nil, false, fmt.Errorf("%d of the %d series of a screen were found", len(ids), page.Meta.Total)
		}
	}
}

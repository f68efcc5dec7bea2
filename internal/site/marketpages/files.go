package marketpages

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/internal/tablefile"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/summary"
)

// fileKey is the parameter that asks a page for one of its tables or charts as a file: its ID with an ending, as in
// crecimiento.xlsx. The other parameters choose the page, so a file has the rows that its page shows.
const fileKey = "archivo"

// tableFile is a link to a file of a table or a chart.
type tableFile struct{ Name, Link string }

// tableFormats are the formats of these files, by the ending of fileKey.
var tableFormats = []struct {
	ending, name, content string
	format                tablefile.Format
}{
	{".xlsx", "Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", tablefile.Workbook},
	{".csv", "CSV", "text/csv; charset=utf-8", tablefile.ChileanCSV},
}

// askedFile returns the ID of the table that the address asks for, and the place of its format in tableFormats.
// asked is false if it asks for the page. An ending that there is not is an error.
func askedFile(text string) (id string, format int, asked bool, err error) {
	if text == "" {
		return "", 0, false, nil
	}
	for i, f := range tableFormats {
		if id, is := strings.CutSuffix(text, f.ending); is {
			return id, i, true, nil
		}
	}
	return "", 0, true, noSuchFile()
}

func noSuchFile() error {
	return httpapi.NotFound("This page has no such file. Its tables and charts link to those that it has.")
}

// fileName returns the name of a file on the reader's disk.
func (v *visit) fileName(id string, format int) string {
	day := ""
	if given, err := model.ParseDate(v.Date()); err == nil {
		day = given.String()
	}
	if cutoff := v.Batch.Cutoff(); day == "" && cutoff != nil {
		day = cutoff.String()
	}
	return strings.TrimSuffix(id+"_"+day, "_") + tableFormats[format].ending
}

// offerFiles returns the data of a page whose tables and charts have links to their files.
func (v *visit) offerFiles(data any) any {
	whole := reflect.New(reflect.TypeOf(data)).Elem()
	whole.Set(reflect.ValueOf(data))
	links := func(id string) (list []tableFile) {
		for _, f := range tableFormats {
			list = append(list, tableFile{f.name, v.Here(fileKey, id+f.ending)})
		}
		return list
	}
	eachShown(whole, func(shown any) {
		switch of := shown.(type) {
		case *lineChart:
			if len(of.Drawings) > 0 {
				of.Files = links(of.ID)
			}
		case *table:
			if of.ID != "" && len(of.Rows) > 0 {
				of.Files = links(of.ID)
			}
		}
	})
	return whole.Interface()
}

// eachShown calls do with each *table, each *lineChart and each []fact of the data of a page, which is addressable. A
// chart comes before the table that stands behind it.
func eachShown(data reflect.Value, do func(any)) {
	switch data.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !data.IsNil() && data.Kind() == reflect.Pointer {
			eachShown(data.Elem(), do)
		}
	case reflect.Slice:
		if facts, are := data.Interface().([]fact); are {
			do(facts)
			return
		}
		for i := range data.Len() {
			if !mayHoldTable(data.Type().Elem()) {
				return
			}
			eachShown(data.Index(i), do)
		}
	case reflect.Struct:
		if !mayHoldTable(data.Type()) {
			return
		}
		if data.CanAddr() {
			switch of := data.Addr().Interface().(type) {
			case *table:
				do(of)
				return
			case *lineChart:
				do(of)
				do(&of.Table)
				return
			}
		}
		for i := range data.NumField() {
			if data.Type().Field(i).IsExported() {
				eachShown(data.Field(i), do)
			}
		}
	}
}

// mayHoldTable reports whether a value of a type can hold a table: only the types of this package do.
func mayHoldTable(of reflect.Type) bool {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of.Kind() == reflect.Struct && of.PkgPath() == reflect.TypeFor[table]().PkgPath()
}

// fileOf returns a table or a chart of the data of a page as a file.
func (v *visit) fileOf(data any, id string, format int) ([]byte, error) {
	whole := reflect.New(reflect.TypeOf(data)).Elem()
	whole.Set(reflect.ValueOf(data))
	var shown *table
	eachShown(whole, func(there any) {
		switch of := there.(type) {
		case *lineChart:
			if shown == nil && of.ID == id && len(of.Drawings) > 0 {
				shown = v.daysOf(of)
			}
		case *table:
			if shown == nil && of.ID == id && len(of.Rows) > 0 {
				shown = of
			}
		}
	})
	if shown == nil {
		return nil, noSuchFile()
	}
	return v.written(*shown, tableFormats[format].format)
}

// daysOf returns a table of the values of a chart on all its days.
func (v *visit) daysOf(c *lineChart) *table {
	t := &table{ID: c.ID, Caption: c.Title, Note: strings.TrimSpace(c.Unit + ". " + c.Note),
		Columns: []column{{Title: v.Say("Fecha", "Date")}}}
	shown, unit := shownPlain, c.Unit
	if c.Percent { // the column says that its values are fractions
		shown, unit = shownPercent(4), ""
	}
	lines := append(slices.Clone(c.Also), c.Lines...)
	values := make([]map[model.Date]float64, len(lines))
	var days []model.Date
	for i, line := range lines {
		title := line.Name
		if len(c.Lines) == 1 && i == len(lines)-1 {
			title = c.Title
		}
		of := column{Title: title, Numeric: true}
		if i >= len(c.Also) {
			of.Unit = unit
		}
		t.Columns = append(t.Columns, of)
		values[i] = make(map[model.Date]float64, len(line.Points))
		for _, p := range line.Points {
			values[i][p.Day] = p.Value
			days = append(days, p.Day)
		}
	}
	slices.SortFunc(days, model.Date.Compare)
	none := v.Say("ese día no tiene valor", "that day has no value")
	for _, day := range slices.Compact(days) {
		cells := []cell{v.day(&day, "")}
		for _, of := range values {
			value, there := of[day]
			if !there {
				cells = append(cells, missing(none))
				continue
			}
			cells = append(cells, cell{Number: &value, Shown: shown})
		}
		t.Rows = append(t.Rows, row{Cells: cells})
	}
	return t
}

// written writes a table as a file. A column whose cells have second lines is followed by one of these, and the reasons
// why values are missing are the last one.
func (v *visit) written(t table, format tablefile.Format) ([]byte, error) {
	var columns []tablefile.Column
	var values []func(row) any
	for i, c := range t.Columns {
		column := fileColumn(t, i)
		if format == tablefile.ChileanCSV && strings.HasSuffix(column.Shown, "%") {
			column.Name += v.Say(" (fracción)", " (fraction)") // only a workbook shows it in percent
		}
		columns = append(columns, column)
		values = append(values, func(r row) any { return fileValue(r.Cells[i], column.Kind) })
		if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Cells[i].Sub != "" }) {
			columns = append(columns, tablefile.Column{Name: c.Title + v.Say(" (detalle)", " (detail)"),
				Kind: tablefile.Text, Nullable: true})
			values = append(values, func(r row) any { return textOrNull(longer(r.Cells[i].FullSub, r.Cells[i].Sub)) })
		}
	}
	if slices.ContainsFunc(t.Rows, func(r row) bool { return reasonsOf(t, r) != nil }) {
		columns = append(columns, tablefile.Column{Name: v.Say("Por qué faltan valores", "Why values are missing"),
			Kind: tablefile.Text, Nullable: true})
		values = append(values, func(r row) any { return reasonsOf(t, r) })
	}
	var out bytes.Buffer
	to, err := tablefile.NewWriter(&out, format, columns, v.fileNotes(t)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = to.Close() }() // it holds nothing that is needed
	for _, r := range t.Rows {
		line := make([]any, len(values))
		for i, value := range values {
			line[i] = value(r)
		}
		if err := to.Write(line...); err != nil {
			return nil, fmt.Errorf("write the table %s: %w", t.ID, err)
		}
	}
	err = to.End()
	return out.Bytes(), err
}

// fileNotes say what a table is and where it is from.
func (v *visit) fileNotes(t table) []tablefile.Note {
	notes := []tablefile.Note{{Name: v.Say("Tabla", "Table"), Text: t.Caption},
		{Name: v.Say("Página", "Page"), Text: v.base + v.Here()},
		{Name: v.Say("Lote", "Batch"), Text: v.Batch.ID()}}
	if cutoff := v.Batch.Cutoff(); cutoff != nil {
		notes = append(notes, tablefile.Note{Name: v.Say("Último día completo", "Last complete day"),
			Text: cutoff.String()})
	}
	for _, c := range t.Columns {
		if c.Hint != "" {
			notes = append(notes, tablefile.Note{Name: c.Title, Text: c.Hint})
		}
	}
	if t.Note != "" {
		notes = append(notes, tablefile.Note{Name: v.Say("Nota", "Note"), Text: t.Note})
	}
	return notes
}

// fileColumn returns a column of a file. It has numbers, fractions or days if all its values are such; otherwise texts.
func fileColumn(t table, i int) tablefile.Column {
	c := tablefile.Column{Name: t.Columns[i].Title, Kind: tablefile.Number, Nullable: true}
	if unit := t.Columns[i].Unit; unit != "" {
		c.Name += " (" + unit + ")"
	}
	for _, r := range t.Rows {
		of := r.Cells[i]
		switch {
		case of.Text == "" && of.Number == nil, of.Reason != "":
			continue
		case of.Number == nil || of.Shown == "":
			return tablefile.Column{Name: c.Name, Kind: tablefile.Text, Nullable: true}
		case c.Shown == "":
			c.Shown = of.Shown
		case c.Shown != of.Shown && (c.Shown == shownDay || of.Shown == shownDay ||
			strings.HasSuffix(c.Shown, "%") != strings.HasSuffix(of.Shown, "%")):
			return tablefile.Column{Name: c.Name, Kind: tablefile.Text, Nullable: true}
		case len(of.Shown) > len(c.Shown): // more decimals
			c.Shown = of.Shown
		}
	}
	if c.Shown == shownDay {
		c.Kind, c.Shown = tablefile.Day, ""
	}
	return c
}

// fileValue returns the value of a cell in a column of a kind.
func fileValue(of cell, kind tablefile.Kind) any {
	switch {
	case of.Reason != "" || of.Text == "" && of.Number == nil:
		return nil
	case kind == tablefile.Day:
		return time.Unix(int64(*of.Number), 0).UTC()
	case kind == tablefile.Number:
		return *of.Number
	}
	return textOrNull(longer(of.Full, of.Text))
}

func textOrNull(text string) any {
	if text == "" || text == locale.Dash {
		return nil
	}
	return text
}

// longer returns the full text where there is one.
func longer(full, short string) string {
	if full != "" {
		return full
	}
	return short
}

// reasonsOf says why values of a row are missing, and nil if none is.
func reasonsOf(t table, r row) any {
	var list []string
	for i, c := range r.Cells {
		if c.Reason != "" {
			list = append(list, t.Columns[i].Title+": "+c.Reason)
		}
	}
	if list == nil {
		return nil
	}
	return strings.Join(list, "; ")
}

// The formats of numbers in files.
const (
	shownDay   = "day"
	shownPlain = "#,##0.0000" // of a value of a chart
)

// shownPercent is the format of a fraction in percent.
func shownPercent(decimals int) string { return decimalPlaces("0", decimals) + "%" }

// shownNumber is the format of a number with marks between thousands.
func shownNumber(decimals int) string { return decimalPlaces("#,##0", decimals) }

func decimalPlaces(whole string, decimals int) string {
	if decimals == 0 {
		return whole
	}
	return whole + "." + strings.Repeat("0", decimals)
}

// keptFile returns a file that a page is asked for.
func (p page) keptFile(ctx context.Context, v *visit, id string, format int) ([]byte, error) {
	data, err := p.load(ctx, v)
	if err != nil {
		return nil, v.Batch.Check(ctx, err)
	}
	body, err := v.fileOf(data, id, format)
	return body, v.Batch.Check(ctx, err)
}

// screenerCSV and screenerParquet answer with the rows of a page of the screener as files. They take
// the parameters of the page.
var (
	screenerCSV = page{
		path: "/fondos.csv", keys: []string{dateKey, sourceKey}, more: screenerKeys,
		file: &fileType{name: "fondos.csv", content: "text/csv; charset=utf-8", load: screenerFile(tablefile.CSV)},
	}
	screenerParquet = page{
		path: "/fondos.parquet", keys: []string{dateKey, sourceKey}, more: screenerKeys,
		file: &fileType{name: "fondos.parquet", content: "application/vnd.apache.parquet",
			load: screenerFile(tablefile.Parquet)},
	}
)

func screenerFile(format tablefile.Format) func(context.Context, *visit) ([]byte, error) {
	return func(ctx context.Context, v *visit) ([]byte, error) {
		shown, err := v.screened(ctx)
		if err == nil && shown.Source == "" {
			shown.Stated, err = find(ctx, v, summary.OfficialReturnsOfSeries, "date", v.Date())
		}
		if err != nil {
			return nil, err
		}
		columns := fileColumns()
		if format == tablefile.CSV {
			columns = withUnits(columns)
		}
		var out bytes.Buffer
		to, err := tablefile.NewWriter(&out, format, columns)
		if err != nil {
			return nil, err
		}
		kinds := shown.Meta.TACKinds.ByID()
		for _, s := range shown.Data {
			row, err := fileRow(s, kinds, shown)
			if err != nil {
				return nil, err
			}
			if err := to.Write(row...); err != nil {
				return nil, err
			}
		}
		err = to.End()
		return out.Bytes(), err
	}
}

// fileColumns are the columns of the files. They have the names of the table of the same
// rows in the API, where that has them.
func fileColumns() []tablefile.Column {
	text := func(name string) tablefile.Column {
		return tablefile.Column{Name: name, Kind: tablefile.Text, Nullable: true}
	}
	number := func(name, unit string) tablefile.Column {
		return tablefile.Column{Name: name, Kind: tablefile.Number, Nullable: true, Unit: unit}
	}
	day := func(name string) tablefile.Column {
		return tablefile.Column{Name: name, Kind: tablefile.Day, Nullable: true}
	}
	columns := []tablefile.Column{
		{Name: "series_id", Kind: tablefile.ID}, text("run"), text("fund"), text("serie"), text("manager"),
		text("category"), text("family"),
		text("investor_class"), text("currency"), number("tac", "fraction"), text("tac_kind"), day("tac_date"),
	}
	for _, window := range model.Windows {
		columns = append(columns, number("return_"+window, "fraction"), text("reason_"+window))
	}
	for _, window := range market.OfficialWindows {
		columns = append(columns, number("official_return_"+window, "fraction, in pesos"))
	}
	return append(columns, day("official_returns_date"),
		number("spheres", "1 to 5"), text("spheres_reason"), number("volatility_12m", "fraction, annualised"),
		number("equity", "millions of the currency"), number("shareholders", ""), day("as_of_date"), text("batch_id"),
	)
}

// withUnits puts the units into the names, because CSV has no other place for them.
func withUnits(columns []tablefile.Column) []tablefile.Column {
	for i, c := range columns {
		if c.Unit != "" {
			columns[i].Name += " (" + c.Unit + ")"
		}
	}
	return columns
}

// fileRow returns the values of a series in the order of fileColumns.
func fileRow(s market.Resource, kinds map[string]string, shown screenedRows) ([]any, error) {
	id, err := strconv.ParseUint(s.ID, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the id of a series: %w", err)
	}
	of := s.Attributes
	var kind any
	if text, there := kinds[s.ID]; there {
		kind = text
	}
	row := []any{uint32(id), of.RUN, of.FundName, of.Serie, of.AGF, given(of.Category), given(of.FundFamily),
		given(classOf(s)), given(of.Currency), given(of.TAC), kind, givenDay(of.TACAsOf)}
	for _, window := range model.Windows {
		period := of.Returns.Periods.Of(window)
		row = append(row, given(period.Value), given(period.Reason))
	}
	stated, _ := shown.Stated.Of(uint32(id))
	for _, value := range stated {
		row = append(row, given(value))
	}
	return append(row, givenDay(shown.Stated.Date), given(whole(of.Spheres.Value)), given(of.Spheres.Reason),
		given(of.VolatilityAnnual12), given(amount(of.Patrimony)), given(whole(of.Shareholders)),
		givenDay(shown.Meta.AsOf), shown.Meta.BatchID), nil
}

// given returns what a pointer points to, and nil for a nil pointer.
func given[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

func givenDay(date *model.Date) any {
	if date == nil {
		return nil
	}
	return date.Time()
}

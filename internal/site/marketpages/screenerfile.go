package marketpages

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"cuota/internal/tablefile"
	"cuota/model"
	"cuota/query/market"
)

// screenerCSV and screenerParquet give the rows of a page of the screener as files. They take
// the parameters of the page.
var (
	screenerCSV = page{
		path: "/fondos.csv", keys: []string{dateKey}, more: screenerKeys,
		file: &fileType{name: "fondos.csv", content: "text/csv; charset=utf-8", load: screenerFile(tablefile.CSV)},
	}
	screenerParquet = page{
		path: "/fondos.parquet", keys: []string{dateKey}, more: screenerKeys,
		file: &fileType{name: "fondos.parquet", content: "application/vnd.apache.parquet",
			load: screenerFile(tablefile.Parquet)},
	}
)

func screenerFile(format tablefile.Format) func(context.Context, *visit) ([]byte, error) {
	return func(ctx context.Context, v *visit) ([]byte, error) {
		shown, err := v.screened(ctx)
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
			row, err := fileRow(s, kinds, shown.Meta.Meta)
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
	return append(columns,
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
func fileRow(s market.Resource, kinds map[string]string, meta market.Meta) ([]any, error) {
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
	return append(row, given(whole(of.Spheres.Value)), given(of.Spheres.Reason), given(of.VolatilityAnnual12),
		given(amount(of.Patrimony)), given(whole(of.Shareholders)),
		givenDay(meta.AsOf), meta.BatchID), nil
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

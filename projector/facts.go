package projector

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/sql"
)

// factTable says how one kind of event becomes a row of a table.
type factTable struct {
	insert string                            // head of the insert statement, with the list of columns
	row    func(value []byte) ([]any, error) // values of one event, in the order of the columns
}

// factTables gives the table for each topic and kind of event. The topic of the cartola is
// missing here; see quota.go.
var factTables = map[string]map[string]factTable{
	model.Register.Topic():          sole(factTable{sql.Insert("fund"), decodeRow(fundRow)}),
	model.TACComparator.Topic():     sole(factTable{sql.Insert("tac"), decodeRow(tacRow)}),
	model.ReturnsComparator.Topic(): sole(factTable{sql.Insert("official_return"), decodeRow(officialReturnRow)}),
	model.AAFM.Topic():              sole(factTable{sql.Insert("aafm_daily"), decodeRow(sheetRow)}),
	model.UF.Topic():                sole(factTable{sql.Insert("indicator"), decodeRow(indicatorRow)}),
	model.Dolar.Topic():             sole(factTable{sql.Insert("indicator"), decodeRow(indicatorRow)}),
	model.FIRegister.Topic():        sole(factTable{sql.Insert("investment_fund"), decodeRow(investmentFundRow)}),
	model.TACMonthly.Topic():        sole(factTable{sql.Insert("monthly_tac"), decodeRow(monthlyTACRow)}),
	model.Holdings.Topic():          sole(factTable{sql.Insert("holding"), decodeRow(holdingRow)}),
	model.FIValues.Topic():          sole(factTable{sql.Insert("investment_value"), decodeRow(investmentValueRow)}),
	model.Benchmarks.Topic(): {
		model.KindBenchmark:      {sql.Insert("benchmark"), decodeRow(benchmarkRow)},
		model.KindBenchmarkPrice: {sql.Insert("benchmark_price"), decodeRow(benchmarkPriceRow)},
	},
	model.Article107s.Topic(): sole(factTable{sql.Insert("article107"), decodeRow(article107Row)}),
	model.Events.Topic(): {
		model.KindFactor:        {sql.Insert("factor"), decodeRow(factorRow)},
		model.KindExchange:      {sql.Insert("exchange"), decodeRow(exchangeRow)},
		model.KindRename:        {sql.Insert("rename"), decodeRow(renameRow)},
		model.KindDiscontinuity: {sql.Insert("discontinuity"), decodeRow(discontinuityRow)},
		model.KindRiskFree:      {sql.Insert("risk_free"), decodeRow(riskFreeRow)},
	},
	model.Vehicles.Topic(): sole(factTable{sql.Insert("vehicle"), decodeRow(vehicleRow)}),
}

// onlyKind is the kind of the events of a topic that has only one kind.
const onlyKind = ""

func sole(table factTable) map[string]factTable { return map[string]factTable{onlyKind: table} }

// tableOf gives the table for an event. It fails if the event has an unknown kind.
func tableOf(tables map[string]factTable, value []byte) (factTable, error) {
	if table, one := tables[onlyKind]; one {
		return table, nil
	}
	var event struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(value, &event); err != nil {
		return factTable{}, fmt.Errorf("decode: %w", err)
	}
	table, known := tables[event.Kind]
	if !known {
		return factTable{}, fmt.Errorf("no table for events of kind %q", event.Kind)
	}
	return table, nil
}

// decodeRow decodes an event and gives it to row. It fails if the message can never become
// a fact.
func decodeRow[E model.Event](row func(*exact, E) []any) func([]byte) ([]any, error) {
	return func(value []byte) ([]any, error) {
		var event E
		if err := json.Unmarshal(value, &event); err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		if err := sourced(event.From()); err != nil {
			return nil, err
		}
		var check exact
		values := row(&check, event)
		return values, check.err
	}
}

// sourced fails if an event does not say from which line of which file it comes, or when
// that was published.
func sourced(source model.Source) error {
	if !isHash(source.SHA256) || source.Line == 0 || source.Revision <= 0 {
		return errors.New("the event has no source")
	}
	return nil
}

// exact records the first decimal that does not fit into its column. The driver would
// silently truncate it.
type exact struct{ err error }

// ClickHouse Decimal(18, s) holds 18 digits, s of them after the point.
const decimalDigits = 18

func (e *exact) decimal(d decimal.Decimal, scale int32) decimal.Decimal {
	if d.Exponent() <= 0 && d.Exponent() >= -scale && d.NumDigits() <= int(decimalDigits-scale) {
		return d // true of nearly all values; the code below allocates memory
	}
	if e.err == nil && (!d.Truncate(scale).Equal(d) || d.Abs().Cmp(decimal.New(1, decimalDigits-scale)) >= 0) {
		e.err = fmt.Errorf("%s does not fit into %d digits with %d decimals", d, decimalDigits, scale)
	}
	return d
}

func (e *exact) nullable(d decimal.NullDecimal, scale int32) *decimal.Decimal {
	if !d.Valid {
		return nil
	}
	checked := e.decimal(d.Decimal, scale)
	return &checked
}

// Digits after the decimal point: six for quotas, four for amounts, nine for factors, eight
// for percentages and other stated figures.
const quotaScale, amountScale, factorScale, statedScale = 6, 4, 9, 8

func revision(s model.Source) time.Time { return time.UnixMilli(s.Revision).UTC() }

func instantOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func dateOrNull(d model.Date) *time.Time {
	if d.IsZero() {
		return nil
	}
	t := d.Time()
	return &t
}

// voidRow records a day whose row was rejected. The day counts as an invalid quote, so that
// no older quote takes its place.
func voidRow(r model.Reject) []any {
	return []any{
		uint32(r.RUN), r.Serie, r.Date.Time(), revision(r.Source), r.SHA256, true, r.Line, uint32(0), "", "",
		nil, nil, nil, nil, nil, nil, nil, nil, false, false, false, nil, nil, nil, nil, nil, nil, nil, nil,
	}
}

func fundRow(_ *exact, f model.Fund) []any {
	return []any{
		uint32(f.RUN), revision(f.Source), f.SHA256, f.Line, uint32(f.ManagerRUT), f.Manager, f.Name, f.ShortName,
		dateOrNull(f.Approved), f.Resolution, f.Kind, dateOrNull(f.Started), dateOrNull(f.Ended), f.Currency,
	}
}

func tacRow(e *exact, t model.SyntheticTAC) []any {
	return []any{
		uint32(t.RUN), t.Serie, t.Date.Time(), "synthetic", revision(t.Source), t.SHA256, t.Line, e.decimal(t.Percent, statedScale),
		t.InvestorClass, t.Currency, t.Fund, t.Manager, t.Digital, e.decimal(t.EquityStated, statedScale),
	}
}

func officialReturnRow(e *exact, r model.OfficialReturn) []any {
	return []any{
		uint32(r.RUN), r.Serie, r.Date.Time(), revision(r.Source), r.SHA256, r.Line, r.FamilyRAR, r.FamilyDisplay, r.FamilyStudies,
		r.InvestorClass, r.Fund, r.Manager, r.Digital, r.Spheres,
		e.nullable(r.Nominal1Y, statedScale), e.nullable(r.Real1Y, statedScale), e.nullable(r.Nominal3Y, statedScale), e.nullable(r.Real3Y, statedScale),
		e.nullable(r.Nominal5Y, statedScale), e.nullable(r.Real5Y, statedScale), e.nullable(r.Nominal10Y, statedScale), e.nullable(r.Real10Y, statedScale),
	}
}

func sheetRow(e *exact, s model.Sheet) []any {
	return []any{
		uint32(s.RUN), s.Serie, s.Date.Time(), revision(s.Source), s.SHA256, s.Line, s.Manager, s.Fund, s.Bloomberg, s.Category, s.APV, s.Currency,
		e.nullable(s.EquityCLP, amountScale), e.nullable(s.Quota, quotaScale), e.nullable(s.UnitsOutstanding, amountScale),
		e.nullable(s.UnitsContributed, amountScale), e.nullable(s.UnitsRedeemed, amountScale), s.Shareholders,
	}
}

func indicatorRow(e *exact, i model.Indicator) []any {
	return []any{i.Code, i.Date.Time(), revision(i.Source), i.SHA256, i.Line, e.decimal(i.Value, quotaScale)}
}

func investmentFundRow(_ *exact, f model.InvestmentFund) []any {
	return []any{uint32(f.RUN), revision(f.Source), f.SHA256, f.Line, f.Name, f.Manager, f.Kind, f.Closed}
}

func monthlyTACRow(e *exact, t model.MonthlyTAC) []any {
	return []any{
		t.Date.Time(), model.Words(t.Manager), model.Words(t.Fund), t.Serie, revision(t.Source), t.SHA256, t.Line, t.Manager, t.Fund,
		t.FundType, t.Currency, t.Features, t.FixedFee, t.VariableFee, t.OperatingExpenses,
		e.nullable(t.FixedPercent, statedScale), e.nullable(t.VariablePercent, statedScale),
		e.nullable(t.ExpensesPercent, statedScale), e.nullable(t.TotalPercent, statedScale),
		t.PlacementTerms, t.PlacementFee, t.DeferredTerms, t.DeferredFee,
	}
}

func holdingRow(e *exact, h model.Holding) []any {
	return []any{
		uint32(h.RUN), h.Month.Time(), h.Market, revision(h.Source), h.SHA256, h.Position, h.Line, h.Nemotecnico, h.Issuer,
		uint32(h.IssuerRUT), h.Country, h.Instrument, e.nullable(h.Units, quotaScale), e.nullable(h.Valuation, amountScale),
		e.nullable(h.Percent, statedScale), h.Currency,
	}
}

func investmentValueRow(e *exact, v model.InvestmentValue) []any {
	return []any{
		uint32(v.RUN), v.Serie, v.Date.Time(), revision(v.Source), v.SHA256, false, v.Line, v.Currency, e.decimal(v.BookValue, quotaScale),
		e.nullable(v.EconomicValue, quotaScale), e.nullable(v.Equity, amountScale), e.nullable(v.TotalAssets, amountScale),
		v.Contributors, v.Institutional, v.Agency,
	}
}

// voidInvestmentValueRow is voidRow for a series of an investment fund.
func voidInvestmentValueRow(r model.Reject) []any {
	return []any{
		uint32(r.RUN), r.Serie, r.Date.Time(), revision(r.Source), r.SHA256, true, r.Line, "", nil, nil, nil, nil, nil, nil, "",
	}
}

func benchmarkRow(_ *exact, b model.Benchmark) []any {
	return []any{
		b.FamilyRAR, b.Symbol, revision(b.Source), b.SHA256, b.Line, b.IndexName, b.InstrumentName, b.NativeCurrency, b.AssetClass, b.Active,
	}
}

func benchmarkPriceRow(e *exact, p model.BenchmarkPrice) []any {
	return []any{p.Symbol, p.Date.Time(), revision(p.Source), p.SHA256, p.Line, e.decimal(p.Close, quotaScale)}
}

func article107Row(_ *exact, a model.Article107) []any {
	clause, stated := model.Clause{}, a.Evidence != nil
	if stated {
		clause = *a.Evidence
	}
	return []any{
		uint32(a.RUN), revision(a.Source), a.SHA256, a.Line, a.Status, a.StatusReason, instantOrNull(a.AssessedAt), instantOrNull(a.UpdatedAt),
		a.DocumentID, a.ObservedDocumentID, a.DocumentURL, a.DocumentSHA256, dateOrNull(a.Deposited), dateOrNull(a.LastModified),
		instantOrNull(a.FetchedAt), a.ReviewStatus, instantOrNull(a.ReviewedAt), a.ReviewedBy, a.ReviewNote,
		stated, clause.Text, clause.Page, clause.Offset, clause.Section, clause.SeriesException,
		clause.RuleID, clause.ParserVersion, clause.ClassifierVersion,
	}
}

func factorRow(e *exact, f model.Factor) []any {
	return []any{
		uint32(f.RUN), f.Serie, f.Date.Time(), revision(f.Source), f.SHA256, f.Line,
		e.decimal(f.Distribution, factorScale), e.decimal(f.Adjustment, factorScale), e.decimal(f.Quota, quotaScale), f.Currency,
		f.EvidenceURL, f.EvidenceSHA256,
	}
}

func exchangeRow(e *exact, x model.Exchange) []any {
	return []any{
		x.EventID, x.EventRevision, revision(x.Source), x.SHA256, x.Line, uint32(x.OriginRUN), x.OriginSerie,
		uint32(x.DestinationRUN), x.DestinationSerie, x.Effective.Time(), x.Valuation.Time(), e.decimal(x.Factor, factorScale),
		x.EvidenceURL, x.EvidenceSHA256,
	}
}

func renameRow(_ *exact, n model.Rename) []any {
	return []any{
		uint32(n.RUN), n.PreviousSerie, revision(n.Source), n.SHA256, n.Line, n.CurrentSerie, n.FirstCurrent.Time(),
		n.EvidenceURL, n.EvidenceSHA256,
	}
}

func discontinuityRow(_ *exact, d model.Discontinuity) []any {
	return []any{
		uint32(d.RUN), d.Serie, d.Date.Time(), revision(d.Source), d.SHA256, d.Line, d.Note, d.EvidenceURL, d.EvidenceSHA256,
	}
}

func riskFreeRow(e *exact, r model.RiskFree) []any {
	return []any{
		r.Name, r.Date.Time(), revision(r.Source), r.SHA256, r.Line, e.decimal(r.Percent, statedScale), r.EvidenceURL, r.EvidenceSHA256,
	}
}

func vehicleRow(_ *exact, v model.Vehicle) []any {
	return []any{uint32(v.RUN), revision(v.Source), v.SHA256, v.Line, v.ETF, v.Note, v.EvidenceURL, v.EvidenceSHA256}
}

func rejectedRow(r model.Reject, arrived time.Time) []any {
	return []any{string(r.Dataset), r.SHA256, r.Line, revision(r.Source), r.File, r.Reason, r.Raw, arrived.UTC()}
}

func manifestRow(m model.Manifest) []any {
	return []any{
		string(m.Dataset), m.SHA256, time.UnixMilli(m.Revision).UTC(), m.File, dateOrNull(m.FirstDate), dateOrNull(m.LastDate),
		m.Rows, m.Keys, m.Rejected,
	}
}

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

// factTable says how the events of a topic become rows of a table.
type factTable struct {
	insert string                            // head of the insert statement, with its columns
	row    func(value []byte) ([]any, error) // one event as values in the order of the columns
}

// factTables gives the table of each topic.
var factTables = map[string]factTable{
	model.Cartola.Topic():           {sql.Insert("quota"), decodeRow(quotaRow)},
	model.Register.Topic():          {sql.Insert("fund"), decodeRow(fundRow)},
	model.TACComparator.Topic():     {sql.Insert("tac"), decodeRow(tacRow)},
	model.ReturnsComparator.Topic(): {sql.Insert("official_return"), decodeRow(officialReturnRow)},
	model.AAFM.Topic():              {sql.Insert("sheet"), decodeRow(sheetRow)},
	model.UF.Topic():                {sql.Insert("indicator"), decodeRow(indicatorRow)},
	model.Dolar.Topic():             {sql.Insert("indicator"), decodeRow(indicatorRow)},
	model.FIRegister.Topic():        {sql.Insert("investment_fund"), decodeRow(investmentFundRow)},
}

// decodeRow reads an event and hands it to row. An error means that the message
// can never become a fact.
func decodeRow[E model.Event](row func(*exact, E) []any) func([]byte) ([]any, error) {
	return func(value []byte) ([]any, error) {
		var event E
		if err := json.Unmarshal(value, &event); err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		if source := event.From(); len(source.SHA256) != 64 || source.Line == 0 || source.Revision <= 0 {
			return nil, errors.New("the event has no source")
		}
		var check exact
		values := row(&check, event)
		return values, check.err
	}
}

// exact keeps the first decimal that its column could not hold: the driver
// would cut it without a word.
type exact struct{ err error }

// ClickHouse Decimal(18, s) holds 18 digits, s of them after the point.
const decimalDigits = 18

func (e *exact) decimal(d decimal.Decimal, scale int32) decimal.Decimal {
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

// Decimals after the point: quotas six, amounts four, factors nine, percentages
// and statements of other sources eight.
const quotaScale, amountScale, factorScale, statedScale = 6, 4, 9, 8

func revision(s model.Source) time.Time { return time.UnixMilli(s.Revision).UTC() }

func dateOrNull(d model.Date) *time.Time {
	if d.IsZero() {
		return nil
	}
	t := d.Time()
	return &t
}

func quotaRow(e *exact, q model.Quota) []any {
	return []any{
		uint32(q.RUN), q.Serie, q.Date.Time(), revision(q.Source), q.SHA256, false, q.Line, uint32(q.ManagerRUT), q.Manager, q.Currency,
		e.decimal(q.Quota, quotaScale), e.decimal(q.Equity, amountScale), e.decimal(q.TotalAssets, amountScale),
		e.decimal(q.UnitsOutstanding, amountScale), e.decimal(q.UnitsContributed, amountScale), e.decimal(q.UnitsRedeemed, amountScale),
		q.Shareholders, q.Institutional, q.InstitutionalFund, q.PensionFund, q.InvestsInFunds,
		e.decimal(q.FixedFee, amountScale), e.decimal(q.VariableFee, amountScale),
		e.decimal(q.AffectedExpenses, amountScale), e.decimal(q.UnaffectedExpenses, amountScale),
		e.decimal(q.SubscriptionFee, amountScale), e.decimal(q.RedemptionFee, amountScale),
		e.nullable(q.AdjustmentFactor, factorScale), e.nullable(q.DistributionFactor, factorScale),
	}
}

// voidRow records that a series' day was published unusable, so that the day
// counts as an invalid quote and no older one takes its place.
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
	return []any{uint32(f.RUN), revision(f.Source), f.SHA256, f.Line, f.Name, f.Manager, f.Kind}
}

func rejectedRow(r model.Reject) []any {
	return []any{string(r.Dataset), r.SHA256, r.Line, revision(r.Source), r.File, r.Reason, r.Raw}
}

func manifestRow(m model.Manifest) []any {
	return []any{
		string(m.Dataset), m.SHA256, time.UnixMilli(m.Revision).UTC(), m.File, dateOrNull(m.FirstDate), dateOrNull(m.LastDate),
		m.Rows, m.Keys, m.Rejected,
	}
}

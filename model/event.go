package model

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// Source says where an event was published. The same bytes always give the same Source,
// whenever and however often they are ingested.
type Source struct {
	// SHA256 is the hash of the raw payload, 64 hex digits.
	SHA256 string `json:"sha256" ch:"source_sha256" validate:"sha256"`
	// Line is the row's line in the payload, from 1. In a saved web page it is the row's
	// position among all table rows of the page.
	Line uint32 `json:"line" ch:"source_line" validate:"gte=1"`
	// Revision is when the payload was published, in Unix milliseconds. Of two facts
	// with the same key, the one with the higher revision counts.
	Revision int64 `json:"revision" validate:"gt=0"`
}

// Event is one validated row of a published file.
//
// The tags of an event's fields say how package projector stores it. A field goes into the
// column that has its name in JSON, or the name in the tag ch. With ch:"-" it is not stored.
// The tag decimals says how many digits the column has after the decimal point, and a
// number with more is refused. A date or an instant with omitzero in the tag json is NULL
// if it is zero. An int64 is an instant in Unix milliseconds.
type Event interface {
	// Key is the natural key: two rows with the same key state the same fact.
	Key() string
	// From returns the file and the line that the row comes from.
	From() Source
}

// Stored is an event whose row has columns that are not fields of the event.
type Stored interface {
	Event
	// Row returns the struct with the columns of the row.
	Row() any
}

// From implements Event for every struct that embeds Source.
func (s Source) From() Source { return s }

// Cartola is the dataset of the daily quota values and costs of every mutual-fund series.
const Cartola Dataset = "cartola"

// Quota is one series on one day, as the cartola states it. Amounts are in the series'
// currency, except those that are counted in quotas.
//
// Package ingest defines the validation tags of decimals, here and in the other events:
// quota, amount, charge, units, factor, percent, rate, weight, positive, unsigned. An
// amount is never negative. A charge may be negative, when the fund reverses an accrual.
type Quota struct {
	Source
	RUN        RUN    `json:"run" validate:"gt=0"`
	Serie      string `json:"serie" validate:"required,max=40"`
	Date       Date   `json:"date"`
	ManagerRUT RUT    `json:"manager_rut" validate:"gt=0"`
	Manager    string `json:"manager" validate:"required,max=200"`
	// as written: $$ pesos, PROM dollars, any other unknown
	Currency string          `json:"currency" ch:"moneda" validate:"required,max=40"`
	Quota    decimal.Decimal `json:"quota" decimals:"6" validate:"positive,quota"` // valor cuota
	Equity   decimal.Decimal `json:"equity" decimals:"4" validate:"amount"`        // patrimonio neto
	// total assets of the whole fund, repeated on each of its series; null: not a number in the file
	TotalAssets      decimal.NullDecimal `json:"total_assets" decimals:"4" validate:"amount"`
	UnitsOutstanding decimal.Decimal     `json:"units_outstanding" decimals:"4" validate:"amount"`
	UnitsContributed decimal.Decimal     `json:"units_contributed" decimals:"4" validate:"amount"`
	UnitsRedeemed    decimal.Decimal     `json:"units_redeemed" decimals:"4" validate:"amount"`
	Shareholders     uint32              `json:"shareholders" validate:"lte=100000000"` // partícipes
	// null: not a number in the file
	Institutional *uint32 `json:"institutional" validate:"omitempty,lte=100000000"`
	// PARTICIPES_INST as written: S or N
	InstitutionalFlag string `json:"participes_inst" validate:"max=40"`
	// FONDO_PEN as written: S or N
	PensionFlag string `json:"fondo_pen" validate:"max=40"`
	// of the whole fund, repeated on each of its series; null: not a number in the file
	InvestedInFunds  decimal.NullDecimal `json:"invested_in_funds" decimals:"4" validate:"amount"`
	FixedFee         decimal.Decimal     `json:"fixed_fee" decimals:"4" validate:"charge"`
	VariableFee      decimal.Decimal     `json:"variable_fee" decimals:"4" validate:"charge"`
	AffectedExpenses decimal.Decimal     `json:"affected_expenses" decimals:"4" validate:"charge"` // gastos afectos
	// gastos no afectos
	UnaffectedExpenses decimal.Decimal `json:"unaffected_expenses" decimals:"4" validate:"charge"`
	// comisión de inversión; null: not a number in the file
	SubscriptionFee decimal.NullDecimal `json:"subscription_fee" decimals:"4" validate:"charge"`
	// comisión de rescate; null: not a number in the file
	RedemptionFee decimal.NullDecimal `json:"redemption_fee" decimals:"4" validate:"charge"`
	// null: none was stated
	AdjustmentFactor decimal.NullDecimal `json:"adjustment_factor" decimals:"9" validate:"factor"`
	// null: none was stated
	DistributionFactor decimal.NullDecimal `json:"distribution_factor" decimals:"9" validate:"factor"`
}

// Key returns the fund, the series and the day.
func (q Quota) Key() string { return QuotaKey(q.RUN, q.Serie, q.Date) }

// QuotaKey returns the natural key of one series on one day.
func QuotaKey(run RUN, serie string, date Date) string {
	return run.String() + ":" + serie + ":" + date.String()
}

// Register is the dataset of the regulator's register of mutual funds.
const Register Dataset = "register"

// Fund is one row of the register of mutual funds.
type Fund struct {
	Source
	RUN        RUN    `json:"run" validate:"gt=0"`
	ManagerRUT RUT    `json:"manager_rut" validate:"gt=0"`
	Manager    string `json:"manager" validate:"required,max=200"`
	Name       string `json:"name" validate:"required,max=300"`
	ShortName  string `json:"short_name" validate:"max=200"`
	Approved   Date   `json:"approved,omitzero"` // date of the resolution; zero when blank
	Resolution string `json:"resolution" validate:"max=40"`
	Kind       uint8  `json:"kind"` // Tipo de Fondo Mutuo, so far 1 to 8; 0: no number
	Started    Date   `json:"started,omitzero"`
	Ended      Date   `json:"ended,omitzero"` // zero while the fund is open
	Currency   string `json:"currency" ch:"moneda" validate:"required,max=40"`
}

// Key returns the fund's RUN with its check digit.
func (f Fund) Key() string { return f.RUN.String() }

// TACComparator is the dataset of synthetic TAC and investor classes.
const TACComparator Dataset = "tac-comparator"

// SyntheticTAC is one series of the regulator's cost comparator: its synthetic cost rate
// and its investor class.
type SyntheticTAC struct {
	Source
	RUN           RUN    `json:"run" validate:"gt=0"`
	Serie         string `json:"serie" validate:"required,max=40"`
	Date          Date   `json:"date"` // last day of the month that the file is about
	Currency      string `json:"currency" ch:"moneda" validate:"required,max=40"`
	InvestorClass string `json:"investor_class" validate:"required,max=100"`
	Fund          string `json:"fund" validate:"max=300"`
	Manager       string `json:"manager" validate:"max=200"`
	Digital       string `json:"serie_digital" validate:"max=40"` // 1 or 0, as written
	// pat_total; thousand millions of CLP, or millions of USD; null: not a number in the file
	EquityStated decimal.NullDecimal `json:"equity_stated" decimals:"8" validate:"unsigned"`
	// tac_sintetica: 1.32 is 1.32 %
	Percent decimal.Decimal `json:"percent" decimals:"8" validate:"percent"`
}

// Key returns the series and the file's date.
func (t SyntheticTAC) Key() string { return QuotaKey(t.RUN, t.Serie, t.Date) }

// Row implements Stored.
func (t SyntheticTAC) Row() any { return syntheticTACRow{t, "synthetic"} }

// syntheticTACRow is a row of a table for costs of all kinds (RULES 2).
type syntheticTACRow struct {
	SyntheticTAC
	Kind string `json:"kind"`
}

// ReturnsComparator is the dataset of families, spheres (the regulator's scale of 1 to 5) and
// official returns.
const ReturnsComparator Dataset = "returns-comparator"

// OfficialReturn is one series of the return comparator: its families, its investor
// class, its sphere, and the returns that the regulator computed, in percent.
type OfficialReturn struct {
	Source
	RUN           RUN                 `json:"run" validate:"gt=0"`
	Serie         string              `json:"serie" validate:"required,max=40"`
	Date          Date                `json:"date"`
	FamilyRAR     string              `json:"family_rar" validate:"max=200"`
	FamilyDisplay string              `json:"family_display" validate:"max=200"`
	FamilyStudies string              `json:"family_studies" validate:"max=200"`
	InvestorClass string              `json:"investor_class" validate:"max=100"`
	Fund          string              `json:"fund" validate:"max=300"`
	Manager       string              `json:"manager" validate:"max=200"`
	Digital       string              `json:"serie_digital" validate:"max=40"` // 1 or 0, as written
	Spheres       uint8               `json:"spheres" validate:"lte=5"`        // ind_rar_pond; 0: not rated
	Nominal1Y     decimal.NullDecimal `json:"nominal_1y" decimals:"8"`
	Real1Y        decimal.NullDecimal `json:"real_1y" decimals:"8"`
	Nominal3Y     decimal.NullDecimal `json:"nominal_3y" decimals:"8"` // percent a year, as are those below
	Real3Y        decimal.NullDecimal `json:"real_3y" decimals:"8"`
	Nominal5Y     decimal.NullDecimal `json:"nominal_5y" decimals:"8"`
	Real5Y        decimal.NullDecimal `json:"real_5y" decimals:"8"`
	Nominal10Y    decimal.NullDecimal `json:"nominal_10y" decimals:"8"`
	Real10Y       decimal.NullDecimal `json:"real_10y" decimals:"8"`
}

// Key returns the series and the file's date.
func (r OfficialReturn) Key() string { return QuotaKey(r.RUN, r.Serie, r.Date) }

// AAFM is the dataset of the association's daily sheet, which has categories.
const AAFM Dataset = "aafm"

// AAFMDaily is one series of the managers' association's daily sheet. The sheet cuts Serie
// to twelve characters. The amounts are null for a series that did not report.
type AAFMDaily struct {
	Source
	RUN              RUN                 `json:"run" validate:"gt=0"`
	Serie            string              `json:"serie" validate:"required,max=40"`
	Date             Date                `json:"date"`
	Manager          string              `json:"manager" validate:"required,max=200"`
	Fund             string              `json:"fund" validate:"required,max=300"`
	Bloomberg        string              `json:"bloomberg" validate:"max=40"`
	Category         string              `json:"category" validate:"max=200"`
	APV              string              `json:"serie_apv" validate:"max=40"` // Si or No, as written
	Currency         string              `json:"currency" validate:"max=40"`
	EquityCLP        decimal.NullDecimal `json:"equity_clp" decimals:"4" validate:"unsigned"`
	Quota            decimal.NullDecimal `json:"quota" decimals:"6" validate:"unsigned"`
	UnitsOutstanding decimal.NullDecimal `json:"units_outstanding" decimals:"4" validate:"unsigned"`
	UnitsContributed decimal.NullDecimal `json:"units_contributed" decimals:"4" validate:"unsigned"`
	UnitsRedeemed    decimal.NullDecimal `json:"units_redeemed" decimals:"4" validate:"unsigned"`
	Shareholders     *uint32             `json:"shareholders" validate:"omitempty,lte=100000000"`
}

// Key returns the series, as the sheet cuts it, and the day.
func (s AAFMDaily) Key() string { return QuotaKey(s.RUN, s.Serie, s.Date) }

// The datasets of indicators.
const (
	UF    Dataset = "uf"    // unidad de fomento, CLP
	Dolar Dataset = "dolar" // dólar observado, CLP per USD
)

// Indicator is the value of the UF or of the dólar observado on one day, in CLP.
type Indicator struct {
	Source
	Code  string          `json:"code" validate:"oneof=uf dolar"`
	Date  Date            `json:"date"`
	Value decimal.Decimal `json:"value" decimals:"6" validate:"positive"`
}

// Key returns the indicator's code and the day.
func (i Indicator) Key() string { return i.Code + ":" + i.Date.String() }

// FIRegister is the dataset of the register of investment funds.
const FIRegister Dataset = "fi-register"

// InvestmentFund is one row of the register of investment funds.
type InvestmentFund struct {
	Source
	RUN     RUN    `json:"run" validate:"gt=0"`
	Name    string `json:"name" validate:"required,max=300"`
	Manager string `json:"manager" validate:"required,max=200"`
	Kind    string `json:"kind" validate:"max=40"`            // FIRES or FINRE, as written
	Closed  bool   `json:"closed,omitempty"`                  // the register states "no vigente"
	State   string `json:"state,omitempty" validate:"max=40"` // estado, as written
}

// Key returns the fund's RUN with its check digit.
func (f InvestmentFund) Key() string { return f.RUN.String() }

// Reject is a rejected row with its text and the reason. Where the series and the day of
// the row can be read, the projector records that the day's quota is unusable, so that
// returns do not use an older value in its place (RULES 1: invalid).
type Reject struct {
	Source
	Dataset Dataset `json:"dataset"`
	File    string  `json:"file"`   // base name of the file
	Reason  string  `json:"reason"` // a sentence for the person who mends the file
	Raw     string  `json:"raw"`    // the row, cut to 4 KiB
	RUN     RUN     `json:"run,omitempty"`
	Serie   string  `json:"serie,omitempty"`
	Date    Date    `json:"date,omitzero"`
}

// Key returns the hash of the file and the line, so that each rejected row is kept.
func (r Reject) Key() string { return r.SHA256 + ":" + strconv.FormatUint(uint64(r.Line), 10) }

// HasDay reports whether the row's fund, series and day could be read.
func (r Reject) HasDay() bool { return r.RUN != 0 && r.Serie != "" && !r.Date.IsZero() }

// Manifest is the last message of a file. When all the rows that it counts have arrived,
// the file is complete and its facts may enter a batch.
type Manifest struct {
	SHA256    string  `json:"sha256" validate:"sha256"`
	Dataset   Dataset `json:"dataset" validate:"required"`
	File      string  `json:"file" validate:"max=255"`
	Revision  int64   `json:"revision" validate:"gt=0"`
	FirstDate Date    `json:"first_date,omitzero"`
	LastDate  Date    `json:"last_date,omitzero"`
	Rows      uint64  `json:"rows"`     // rows read, without the header
	Keys      uint64  `json:"keys"`     // distinct keys published
	Rejected  uint64  `json:"rejected"` // rows rejected
}

// Control is a message of the control topic: one field is set, or the manifest of a file and
// its judgement.
type Control struct {
	Manifest *Manifest `json:"manifest,omitempty"`
	// Judgement stands alone if nothing was published of the file.
	Judgement *Judgement `json:"judgement,omitempty"`
	// Project asks for a batch now, from the files that are complete, even if nothing
	// changed.
	Project *ProjectCommand `json:"project,omitempty"`
}

// ProjectCommand asks the projector to build a batch. With Rebuild it builds every day
// again, and not only the days that changed. With Inspect it first inspects the stored
// tables and builds only if they are damaged.
type ProjectCommand struct {
	ID      string `json:"id" validate:"required,max=64"`
	Rebuild bool   `json:"rebuild"`
	Inspect bool   `json:"inspect,omitempty"`
}

package model

import (
	"strconv"

	"github.com/shopspring/decimal"
)

// Events is the dataset of factors, exchanges, renames, discontinuities, risk-free rates
// and ends.
const Events Dataset = "events"

// The kinds of event in dataset events. All are curated: each was checked against a
// published document, and none is taken from the daily files alone.
const (
	KindFactor        = "factor"
	KindExchange      = "exchange"
	KindRename        = "rename"
	KindDiscontinuity = "discontinuity"
	KindRiskFree      = "risk_free"
	KindEnd           = "end"
)

// Evidence is the published document that proves an event.
type Evidence struct {
	EvidenceURL    string `json:"evidence_url" validate:"http_url,max=2048"`
	EvidenceSHA256 string `json:"evidence_sha256" validate:"sha256"`
}

// Factor holds the verified factors of one series on one day. Total returns are computed
// from these, and only for windows in which every calendar day has one (RULES 1). Both
// factors multiply the quota of the day; 1 means no change.
type Factor struct {
	Source
	Evidence
	Kind  string `json:"kind" ch:"-" validate:"eq=factor"`
	RUN   RUN    `json:"run" validate:"gt=0"`
	Serie string `json:"serie" validate:"required,max=40"`
	Date  Date   `json:"date"`
	// FR: (quota + payment) / quota
	Distribution decimal.Decimal `json:"distribution_factor" decimals:"9" validate:"factor"`
	// FA: change of the quota's unit
	Adjustment decimal.Decimal `json:"adjustment_factor" decimals:"9" validate:"factor"`
	// the quota that the factors belong to; must equal the quota of the cartola
	Quota    decimal.Decimal `json:"quota" decimals:"6" validate:"positive,quota"`
	Currency string          `json:"currency" validate:"oneof=PESOS DOLAR"`
}

// Key returns the series, the day and the line. The line is part of it because two lines
// of a file that state the same day must both be kept: the day's factor is then in doubt
// (RULES 1, duplicate_factor_date).
func (f Factor) Key() string {
	return QuotaKey(f.RUN, f.Serie, f.Date) + ":" + strconv.FormatUint(uint64(f.Line), 10)
}

// Exchange is a canje: quotas of one series become quotas of another, at a fixed factor.
// It is followed forward only (RULES 1).
type Exchange struct {
	Source
	Evidence
	Kind    string `json:"kind" ch:"-" validate:"eq=exchange"`
	EventID string `json:"event_id" validate:"required,max=100"`
	// revision of the event, from 1; not that of the file
	EventRevision    uint32 `json:"event_revision" validate:"gte=1"`
	OriginRUN        RUN    `json:"origin_run" validate:"gt=0"`
	OriginSerie      string `json:"origin_serie" validate:"required,max=40"`
	DestinationRUN   RUN    `json:"destination_run" validate:"gt=0"`
	DestinationSerie string `json:"destination_serie" validate:"required,max=40"`
	Effective        Date   `json:"effective_date"`
	Valuation        Date   `json:"valuation_date"`
	// quotas of the destination for one of the origin
	Factor decimal.Decimal `json:"factor" decimals:"9" validate:"factor"`
}

// Key returns the event's id and its revision.
func (x Exchange) Key() string {
	return x.EventID + ":" + strconv.FormatUint(uint64(x.EventRevision), 10)
}

// Rename says that a series goes on under another name. Both names then find the same
// series (RULES 1). A Rename whose two names are the same takes back an earlier rename
// of that name.
type Rename struct {
	Source
	Evidence
	Kind          string `json:"kind" ch:"-" validate:"eq=rename"`
	RUN           RUN    `json:"run" validate:"gt=0"`
	PreviousSerie string `json:"previous_serie" validate:"required,max=40"`
	CurrentSerie  string `json:"current_serie" validate:"required,max=40"`
	FirstCurrent  Date   `json:"first_current_date"` // first day under the current name
}

// Key returns the fund and the previous name.
func (n Rename) Key() string { return n.RUN.String() + ":" + n.PreviousSerie }

// Discontinuity is a known break of a series. No return is computed over that day
// (RULES 1, known_discontinuity).
type Discontinuity struct {
	Source
	Evidence
	Kind  string `json:"kind" ch:"-" validate:"eq=discontinuity"`
	RUN   RUN    `json:"run" validate:"gt=0"`
	Serie string `json:"serie" validate:"required,max=40"`
	Date  Date   `json:"date"` // first day after the break
	Note  string `json:"note" validate:"required,max=1000"`
}

// Key returns the series and the day.
func (d Discontinuity) Key() string { return QuotaKey(d.RUN, d.Serie, d.Date) }

// RiskFree is an annual rate that holds from a date, for Sharpe and Sortino ratios
// (RULES 5). It is stored; no statement reads it yet.
type RiskFree struct {
	Source
	Evidence
	Kind    string          `json:"kind" ch:"-" validate:"eq=risk_free"`
	Name    string          `json:"name" validate:"required,max=100"`
	Date    Date            `json:"date"`
	Percent decimal.Decimal `json:"annual_percent" decimals:"8" validate:"rate"` // 5.25 is 5.25 % a year
}

// Key returns the day and the rate's name.
func (r RiskFree) Key() string { return r.Date.String() + ":" + r.Name }

// End says that a series, a fund or the whole market has no more rows from a day on. It
// holds for the series that have no row on that day or later, so that nobody waits for
// them (RULES 1, complete dates). It is stated where no register or exchange does it.
type End struct {
	Source
	Evidence
	Kind  string `json:"kind" ch:"-" validate:"eq=end"`
	RUN   RUN    `json:"run"`                     // 0: every fund
	Serie string `json:"serie" validate:"max=40"` // empty: every series
	Ended Date   `json:"ended_on"`                // first day without a row
	Note  string `json:"note" validate:"required,max=1000"`
}

// Key returns the series, or what stands for all, and the day.
func (e End) Key() string { return QuotaKey(e.RUN, e.Serie, e.Ended) }

package facts

import (
	"bytes"
	"encoding/json"
	"slices"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
)

// ReturnPeriod is the return over one window.
type ReturnPeriod struct {
	Value          *float64    `json:"value"` // fraction; per year for 3y_ann and 5y_ann
	Currency       *string     `json:"currency"`
	Status         string      `json:"status"`
	Reason         *string     `json:"reason"`
	TargetStart    *model.Date `json:"target_start_date"`
	TargetEnd      *model.Date `json:"target_end_date"`
	EffectiveStart *model.Date `json:"effective_start_date"`
	EffectiveEnd   *model.Date `json:"effective_end_date"`
}

// Periods holds one item for each window, in the order of model.Windows.
type Periods[P any] []P

// Of returns the item of a window, by its name. It returns the zero value if there is none.
func (p Periods[P]) Of(window string) (item P) {
	if at := slices.Index(model.Windows, window); at >= 0 && at < len(p) {
		item = p[at]
	}
	return item
}

// MarshalJSON writes an object whose keys are the names of the windows.
func (p Periods[P]) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, window := range model.Windows {
		out.WriteString(`,"` + window + `":`)
		encoded, err := json.Marshal(p[i])
		if err != nil {
			return nil, err
		}
		out.Write(encoded)
	}
	out.Bytes()[0] = '{'
	out.WriteByte('}')
	return out.Bytes(), nil
}

// ReturnPeriods are the returns of a series over all windows.
type ReturnPeriods = Periods[ReturnPeriod]

// ReturnAttributes are the returns of a series, with their origin.
type ReturnAttributes struct {
	RUN               string        `json:"run"`
	Serie             string        `json:"serie"`
	Currency          *string       `json:"currency"` // accounting currency
	RequestedAsOf     *model.Date   `json:"requested_as_of_date"`
	AsOf              *model.Date   `json:"as_of_date"`
	Periods           ReturnPeriods `json:"periods"`
	ToleranceDays     uint8         `json:"tolerance_days"`
	Unit              string        `json:"unit"`
	ReturnBasis       string        `json:"return_basis"`
	Source            string        `json:"source"`
	QuotaSource       string        `json:"quota_source"`
	MethodVersion     string        `json:"method_version"`
	Adjustments       []string      `json:"adjustments"`
	EventVerification string        `json:"event_verification"`
	CalculationMode   string        `json:"calculation_mode"`
	operation.BatchFacts
}

// EndAt says that the returns end at a requested date, or at the day that answers for it, and
// not at the cutoff.
func (a *ReturnAttributes) EndAt(requested, day model.Date) {
	a.RequestedAsOf, a.AsOf, a.CalculationMode = &requested, &day, "direct"
	a.SnapshotLagDays, a.RefreshRequired = nil, false // they do not come from the returns of the batch
}

// ReturnsOf returns the attributes for returns of the batch at its cutoff.
func ReturnsOf(p operation.Pinned, run, serie string, currency *string, periods ReturnPeriods) ReturnAttributes {
	b := p.Batch
	return ReturnAttributes{
		RUN: run, Serie: serie, Currency: currency, AsOf: operation.DateOf(b.AsOf), Periods: periods,
		ToleranceDays: b.ToleranceDays, Unit: "decimal", ReturnBasis: "price", Source: "own", QuotaSource: "CMF",
		MethodVersion: b.MethodVersion, Adjustments: []string{}, EventVerification: "unavailable",
		CalculationMode: "snapshot", BatchFacts: operation.FactsOf(p),
	}
}

// Availability returns the status for a reason. Without a reason, the value is available.
func Availability(reason *string) string {
	if reason == nil {
		return "available"
	}
	return "unavailable"
}

// Unquoted returns the windows of a series without a quote up to the cutoff.
func Unquoted(b *batch.Batch) ReturnPeriods {
	reason := "missing_end_quote"
	if b.AsOf == nil {
		reason = "no_complete_cutoff"
	}
	periods := make(ReturnPeriods, len(model.Windows))
	for i, window := range model.Windows {
		periods[i] = ReturnPeriod{Status: Availability(&reason), Reason: &reason}
		periods[i].TargetStart, periods[i].TargetEnd = TargetsOf(b, window)
	}
	return periods
}

// TargetsOf returns the target dates of a window at the cutoff. They are nil without a cutoff.
func TargetsOf(b *batch.Batch, window string) (start, end *model.Date) {
	for i, name := range b.Windows {
		if name == window {
			return operation.DateOf(&b.TargetStarts[i]), operation.DateOf(&b.TargetEnds[i])
		}
	}
	return nil, nil
}

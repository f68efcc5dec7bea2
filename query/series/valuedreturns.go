package series

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// ReturnKinds are the kinds of returns that an operator can enable in addition to price
// returns in accounting currency: the valuations clp and real_uf, and the basis total.
var ReturnKinds = []string{"clp", "real_uf", "total"}

// CheckReturnKinds refuses a kind that is none of ReturnKinds.
func CheckReturnKinds(kinds []string) error {
	for _, kind := range kinds {
		if !slices.Contains(ReturnKinds, kind) {
			return fmt.Errorf("returns %q: want some of %s", kind, strings.Join(ReturnKinds, ", "))
		}
	}
	return nil
}

// Enabled fails with 503 if the operator has not enabled a valuation or a basis. The
// problem has no Retry-After, because asking again does not help.
func Enabled(returns []string, valuation, basis string) error {
	for _, asked := range []struct{ parameter, kind, always string }{
		{"valuation", valuation, "accounting"}, {"return_basis", basis, "price"},
	} {
		if asked.kind != asked.always && !slices.Contains(returns, asked.kind) {
			return &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "valuation_not_enabled",
				Detail: asked.parameter + "=" + asked.kind + " is not enabled on this server; " + asked.parameter +
					"=" + asked.always + " always is."}
		}
	}
	return nil
}

// valuedWindow is one window of batch_valued_return or batch_total_return. Only total returns
// have the last five columns.
type valuedWindow struct {
	windowRow

	StartQuota    *float64 `ch:"start_quota"`
	StartCurrency *string  `ch:"start_currency"`
	EndQuota      *float64 `ch:"end_quota"`
	EndCurrency   *string  `ch:"end_currency"`

	StartFXDate     *time.Time       `ch:"start_fx_date"`
	StartFX         *decimal.Decimal `ch:"start_fx"`
	StartFXSHA256   *string          `ch:"start_fx_sha256"`
	StartFXRevision *time.Time       `ch:"start_fx_revision"`
	StartUFDate     *time.Time       `ch:"start_uf_date"`
	StartUF         *decimal.Decimal `ch:"start_uf"`
	StartUFSHA256   *string          `ch:"start_uf_sha256"`
	StartUFRevision *time.Time       `ch:"start_uf_revision"`
	EndFXDate       *time.Time       `ch:"end_fx_date"`
	EndFX           *decimal.Decimal `ch:"end_fx"`
	EndFXSHA256     *string          `ch:"end_fx_sha256"`
	EndFXRevision   *time.Time       `ch:"end_fx_revision"`
	EndUFDate       *time.Time       `ch:"end_uf_date"`
	EndUF           *decimal.Decimal `ch:"end_uf"`
	EndUFSHA256     *string          `ch:"end_uf_sha256"`
	EndUFRevision   *time.Time       `ch:"end_uf_revision"`

	// JSON lists. The keys of their objects are the names of columns.
	Coverage               string  `ch:"factor_coverage"`
	Distributions          string  `ch:"applied_distributions"`
	Exchanges              string  `ch:"applied_exchanges"`
	DistributionMultiplier *string `ch:"distribution_multiplier"`
	ExchangeMultiplier     *string `ch:"exchange_multiplier"`
}

// IndicatorInput is a published rate by which a quote was converted.
type IndicatorInput struct {
	Code         string      `json:"code"`
	Date         *model.Date `json:"date"`
	Value        string      `json:"value"` // decimal text, pesos for one unit
	SourceURL    string      `json:"source_url"`
	DownloadedAt *time.Time  `json:"downloaded_at"`
	SourceSHA256 string      `json:"source_sha256"`
	Provider     string      `json:"provider"`
	Unit         string      `json:"unit"`
}

// The central bank publishes both indicators. Their files do not name the address from
// which they were downloaded, so replies have the address of the bank.
const (
	indicatorProvider = "Banco Central de Chile"
	indicatorURL      = "https://www.bcentral.cl"
)

func indicatorOf(code, unit string, date *time.Time, value *decimal.Decimal, sha256 *string,
	revision *time.Time) *IndicatorInput {
	if date == nil || value == nil || sha256 == nil {
		return nil
	}
	return &IndicatorInput{
		Code: code, Date: operation.DateOf(date), Value: value.String(), SourceURL: indicatorURL,
		DownloadedAt: facts.UTC(revision),
		SourceSHA256: *sha256, Provider: indicatorProvider, Unit: unit,
	}
}

// EndpointInputs is the quote at one end of a window.
type EndpointInputs struct {
	Date     *model.Date     `json:"quota_date"`
	Quota    float64         `json:"quota_value"` // in Currency
	Currency string          `json:"quota_currency"`
	FX       *IndicatorInput `json:"fx"`
	UF       *IndicatorInput `json:"uf"`
}

// endpointOf returns nil if there is no quote from which a return can be computed.
func endpointOf(date *time.Time, quota *float64, currency *string, fx, uf *IndicatorInput) *EndpointInputs {
	if date == nil || quota == nil || *quota <= 0 || currency == nil {
		return nil
	}
	return &EndpointInputs{operation.DateOf(date), *quota, *currency, fx, uf}
}

// PeriodInputs are the quotes from which a window was computed, as far as they exist.
type PeriodInputs struct {
	Start *EndpointInputs `json:"start"`
	End   *EndpointInputs `json:"end"`
}

// AdjustedPeriod is the return over one window in pesos or UF.
type AdjustedPeriod struct {
	facts.ReturnPeriod
	Inputs PeriodInputs `json:"inputs"`
}

// TotalPeriod is the total return over one window, with everything that was applied to it.
type TotalPeriod struct {
	AdjustedPeriod
	Coverage               json.RawMessage `json:"factor_coverage"`
	Distributions          json.RawMessage `json:"applied_distributions"`
	Exchanges              json.RawMessage `json:"applied_exchanges"`
	DistributionMultiplier *string         `json:"distribution_multiplier"`
	ExchangeMultiplier     *string         `json:"exchange_multiplier"`
}

func (w *valuedWindow) adjusted() AdjustedPeriod {
	return AdjustedPeriod{
		ReturnPeriod: w.period(),
		Inputs: PeriodInputs{
			Start: endpointOf(w.EffectiveStart, w.StartQuota, w.StartCurrency,
				indicatorOf("dolar", "CLP/USD", w.StartFXDate, w.StartFX, w.StartFXSHA256, w.StartFXRevision),
				indicatorOf("uf", "CLP/UF", w.StartUFDate, w.StartUF, w.StartUFSHA256, w.StartUFRevision)),
			End: endpointOf(w.EffectiveEnd, w.EndQuota, w.EndCurrency,
				indicatorOf("dolar", "CLP/USD", w.EndFXDate, w.EndFX, w.EndFXSHA256, w.EndFXRevision),
				indicatorOf("uf", "CLP/UF", w.EndUFDate, w.EndUF, w.EndUFSHA256, w.EndUFRevision)),
		},
	}
}

func (w *valuedWindow) total() TotalPeriod {
	return TotalPeriod{
		w.adjusted(), json.RawMessage(w.Coverage), json.RawMessage(w.Distributions), json.RawMessage(w.Exchanges),
		w.DistributionMultiplier, w.ExchangeMultiplier,
	}
}

// ValuedAttributes are the attributes that AdjustedReturns and TotalReturns share. Both are
// computed for each request, never stored in the batch.
type ValuedAttributes struct {
	RUN               string        `json:"run"`
	Serie             string        `json:"serie"`
	Currency          *string       `json:"currency"` // currency of the valuation
	RequestedAsOf     *model.Date   `json:"requested_as_of_date"`
	AsOf              *model.Date   `json:"as_of_date"`
	Valuation         string        `json:"valuation"`
	MethodVersion     string        `json:"method_version"`
	ToleranceDays     uint8         `json:"tolerance_days"`
	FXToleranceDays   int           `json:"fx_tolerance_days"`
	UFDatePolicy      string        `json:"uf_date_policy"`
	Unit              string        `json:"unit"`
	ReturnBasis       string        `json:"return_basis"`
	Source            string        `json:"source"`
	QuotaSource       string        `json:"quota_source"`
	Adjustments       []string      `json:"adjustments"` // the adjustments of the method, even if no window needs them
	EventVerification string        `json:"event_verification"`
	CalculationMode   string        `json:"calculation_mode"`
	CalculationDate   *model.Date   `json:"calculation_date"`
	CalculatedAt      *time.Time    `json:"calculated_at"`
	LatestComplete    *model.Date   `json:"latest_complete_date"`
	CutoffAgeDays     *int          `json:"cutoff_age_days"`
	Spheres           facts.Spheres `json:"cmf_spheres"`
}

// AdjustedReturns are price returns in pesos or UF.
type AdjustedReturns struct {
	ValuedAttributes
	Periods facts.Periods[AdjustedPeriod] `json:"periods"`
}

// TotalReturns are returns with reinvested distributions, in any valuation.
type TotalReturns struct {
	ValuedAttributes
	FactorSource       string                     `json:"factor_source"`
	ReinvestmentPolicy string                     `json:"reinvestment_policy"`
	ContinuationPolicy string                     `json:"continuation_policy"`
	FXDatePolicy       string                     `json:"fx_date_policy"`
	Periods            facts.Periods[TotalPeriod] `json:"periods"`
}

// End implements AnyReturns.
func (a ValuedAttributes) End() *model.Date { return a.AsOf }

// Rating implements AnyReturns.
func (a ValuedAttributes) Rating() facts.Spheres { return a.Spheres }

// Windows implements AnyReturns.
func (r AdjustedReturns) Windows() (windows facts.ReturnPeriods) {
	for _, period := range r.Periods {
		windows = append(windows, period.ReturnPeriod)
	}
	return windows
}

// Windows implements AnyReturns.
func (r TotalReturns) Windows() (windows facts.ReturnPeriods) {
	for _, period := range r.Periods {
		windows = append(windows, period.ReturnPeriod)
	}
	return windows
}

func valued(r *operation.Request[returnsParams], known Series, asOf model.Date, rated facts.Spheres) ValuedAttributes {
	facts := operation.FactsOf(r.Pinned)
	a := ValuedAttributes{
		RUN: known.run(), Serie: known.Serie, Valuation: r.Params.Valuation, ToleranceDays: r.Batch.ToleranceDays,
		FXToleranceDays: 7,
		UFDatePolicy:    "exact", Unit: "decimal", Source: "own", QuotaSource: known.quotaSource(),
		Adjustments: []string{}, CalculationMode: "direct",
		CalculationDate: facts.CalculationDate, CalculatedAt: facts.CalculatedAt, LatestComplete: facts.LatestComplete,
		CutoffAgeDays: facts.CutoffAgeDays, Spheres: rated,
	}
	if r.Params.AsOf.Given {
		a.RequestedAsOf, a.AsOf = &asOf, &asOf
	} else {
		a.AsOf = operation.DateOf(r.Batch.AsOf)
	}
	pesos, uf := "PESOS", "UF"
	switch a.Valuation {
	case "accounting":
		a.Currency = known.Currency
	case "clp":
		a.Currency, a.Adjustments = &pesos, []string{"fx_to_clp"}
	case "real_uf":
		a.Currency, a.Adjustments = &uf, []string{"fx_to_clp", "uf_deflation"}
	}
	return a
}

func adjustedReturns(ctx context.Context, r *operation.Request[returnsParams], known Series, asOf model.Date,
	rated facts.Spheres) (AnyReturns, error) {
	found, err := valuedWindows(ctx, "returns_valued_as_of", r, known, asOf)
	if err != nil {
		return nil, err
	}
	attributes := AdjustedReturns{ValuedAttributes: valued(r, known, asOf, rated)}
	attributes.ReturnBasis, attributes.EventVerification = "price", "unavailable"
	attributes.MethodVersion = map[string]string{"clp": "price_return_clp_v1",
		"real_uf": "price_return_real_uf_v1"}[attributes.Valuation]
	for i, missing := range facts.Unquoted(r.Batch) {
		period := AdjustedPeriod{ReturnPeriod: missing}
		if w, there := found[model.Windows[i]]; there {
			period = w.adjusted()
		}
		attributes.Periods = append(attributes.Periods, period)
	}
	return attributes, nil
}

func totalReturns(ctx context.Context, r *operation.Request[returnsParams], known Series, asOf model.Date,
	rated facts.Spheres) (AnyReturns, error) {
	found, err := valuedWindows(ctx, "returns_total_as_of", r, known, asOf)
	if err != nil {
		return nil, err
	}
	attributes := TotalReturns{
		ValuedAttributes: valued(r, known, asOf, rated),
		FactorSource:     "CMF", ReinvestmentPolicy: "published_distribution_factors",
		ContinuationPolicy: "verified_forward_only",
		FXDatePolicy:       "on_or_before_quota_date",
	}
	attributes.ReturnBasis, attributes.EventVerification = "total", "per_period"
	attributes.MethodVersion = map[string]string{
		"accounting": "total_return_v1", "clp": "total_return_clp_v1", "real_uf": "total_return_real_uf_v1",
	}[attributes.Valuation]
	attributes.Adjustments = append([]string{"distributions", "exchanges"}, attributes.Adjustments...)
	for i, missing := range facts.Unquoted(r.Batch) {
		none := json.RawMessage("[]")
		period := TotalPeriod{AdjustedPeriod: AdjustedPeriod{ReturnPeriod: missing}, Coverage: none,
			Distributions: none, Exchanges: none}
		if w, there := found[model.Windows[i]]; there {
			period = w.total()
		}
		attributes.Periods = append(attributes.Periods, period)
	}
	return attributes, nil
}

// valuedWindows computes the windows at a date, by name. It returns none if the batch has no
// cutoff and no date is requested.
func valuedWindows(ctx context.Context, statement string, r *operation.Request[returnsParams], known Series,
	asOf model.Date) (map[string]*valuedWindow, error) {
	if !r.Params.AsOf.Given && r.Batch.AsOf == nil {
		return nil, nil
	}
	found, err := operation.Rows[valuedWindow](ctx, r.Pinned, statement, sql.Arg("series_id", known.ID),
		sql.Arg("as_of", asOf.String()), sql.Arg("valuation", r.Params.Valuation))
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*valuedWindow, len(found))
	for i := range found {
		byName[found[i].Window] = &found[i]
	}
	return byName, nil
}

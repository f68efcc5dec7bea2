package backtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/go-playground/validator/v10"

	"cuota/model"
)

// MaxStrategyBytes limits the text of a strategy.
const MaxStrategyBytes = 64 << 10

// ParseTOML reads a strategy and completes it. It fails with an *InvalidStrategy if the text
// is no TOML, names an unknown field or breaks a rule.
func ParseTOML(in io.Reader) (Strategy, error) {
	text, err := readText(in)
	if err != nil {
		return Strategy{}, err
	}
	var raw map[string]any
	if _, err := toml.Decode(string(text), &raw); err != nil {
		var wrong toml.ParseError
		if errors.As(err, &wrong) {
			return Strategy{}, invalid("", "is no valid TOML: line %d: %s", wrong.Position.Line, wrong.Message)
		}
		return Strategy{}, invalid("", "can't be read: %v", err)
	}
	plain, err := toml.Marshal(datesAsText(raw))
	if err != nil {
		return Strategy{}, invalid("", "can't be read: %v", err)
	}
	var s Strategy
	read, err := toml.Decode(string(plain), &s)
	if err != nil {
		// These messages name types of this program, and the key.
		if text := err.Error(); strings.Contains(text, "incompatible types") ||
			strings.Contains(text, "type mismatch") {
			_, key, _ := strings.Cut(text, "(last key ")
			key, _, _ = strings.Cut(key, ")")
			return Strategy{}, invalid(strings.Trim(key, `"`),
				"has a value of another kind: docs/backtests.md says what the field takes")
		}
		var wrong toml.ParseError
		if errors.As(err, &wrong) {
			return Strategy{}, invalid(wrong.LastKey, "can't be read: %s", wrong.Message)
		}
		return Strategy{}, invalid("", "can't be read: %v", err)
	}
	if unknown := read.Undecoded(); len(unknown) > 0 {
		return Strategy{}, invalid(unknown[0].String(), "is no field of a strategy; docs/backtests.md lists them")
	}
	return s.Complete()
}

// datesAsText writes the dates of TOML, which have no quotes, as texts, so that a date may have
// them or not.
func datesAsText(value any) any {
	switch value := value.(type) {
	case time.Time:
		return model.DateOf(value).String()
	case map[string]any:
		for key, of := range value {
			value[key] = datesAsText(of)
		}
	case []any:
		for i, of := range value {
			value[i] = datesAsText(of)
		}
	}
	return value
}

// ParseJSON reads a strategy and completes it. It fails as ParseTOML does.
func ParseJSON(in io.Reader) (Strategy, error) {
	text, err := readText(in)
	if err != nil {
		return Strategy{}, err
	}
	var s Strategy
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return Strategy{}, invalid(wrong.Field,
				"must not be a JSON %s: docs/backtests.md says what the field takes", wrong.Value)
		}
		if wrong != nil { // its text names a type of this program
			return Strategy{}, invalid("", "must be a JSON object, not a JSON %s", wrong.Value)
		}
		return Strategy{}, invalid("", "is no valid JSON of a strategy: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Strategy{}, invalid("", "has something after its end")
	}
	return s.Complete()
}

func readText(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxStrategyBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the strategy: %w", err)
	}
	if len(text) > MaxStrategyBytes {
		return nil, invalid("", "is longer than %d bytes", MaxStrategyBytes)
	}
	return text, nil
}

// InvalidStrategy says what is wrong with a strategy.
type InvalidStrategy struct {
	Field   string // name in the file, as in filter.tac_max; empty: the strategy as a whole
	Problem string // follows the name: "must be …"
}

func (e *InvalidStrategy) Error() string {
	if e.Field == "" {
		return "the strategy " + e.Problem
	}
	return fmt.Sprintf("the strategy's %s %s", e.Field, e.Problem)
}

func invalid(field, problem string, values ...any) error {
	return &InvalidStrategy{field, fmt.Sprintf(problem, values...)}
}

// cheapFirst are the sorts of which the smallest value is usually wanted.
var cheapFirst = []string{"tac", "volatility_12m", "volatility_36m", "id"}

const (
	monthly   = "monthly"
	quarterly = "quarterly"
	onDates   = "dates"
)

// maxYears limits the period of a run.
const maxYears = 60

var check = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(field reflect.StructField) string { return field.Tag.Get("toml") })
	return v
}()

// Complete fills in the defaults and checks the strategy. It fails with an *InvalidStrategy.
func (s Strategy) Complete() (Strategy, error) {
	setText(&s.Rebalance, monthly)
	setText(&s.Known, "then")
	setText(&s.Universe, "then")
	setText(&s.Currency, "PESOS")
	setText(&s.Weights, "equal")
	setPointer(&s.EntryLag, 1)
	setPointer(&s.ExitLag, 1)
	setPointer(&s.RedemptionDays, 10)
	setPointer(&s.OnePerFund, true)
	if s.Order == "" {
		s.Order = "desc"
		if slices.Contains(cheapFirst, s.Sort) {
			s.Order = "asc"
		}
	}
	if err := s.checkTags(); err != nil {
		return s, err
	}
	for _, rule := range []func(*Strategy) error{checkPeriod, checkSelection, checkNumbers, checkSeries} {
		if err := rule(&s); err != nil {
			return s, err
		}
	}
	return s, nil
}

func setText(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

func setPointer[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// checkTags checks what the tags validate say.
func (s *Strategy) checkTags() error {
	var wrong validator.ValidationErrors
	if err := check.Struct(s); errors.As(err, &wrong) {
		first := wrong[0]
		_, name, _ := strings.Cut(first.Namespace(), ".") // without the name of the type
		return invalid(name, "%s", problemOf(first))
	} else if err != nil {
		return fmt.Errorf("check the strategy: %w", err)
	}
	return nil
}

func problemOf(wrong validator.FieldError) string {
	switch wrong.Tag() {
	case "required":
		return "is missing"
	case "oneof":
		return "must be one of: " + strings.ReplaceAll(wrong.Param(), " ", ", ")
	case "min":
		return "must be at least " + wrong.Param()
	case "max":
		if _, isText := wrong.Value().(string); isText {
			return "must have at most " + wrong.Param() + " characters"
		}
		return "must be at most " + wrong.Param()
	}
	return "is not allowed: " + wrong.Tag()
}

func checkPeriod(s *Strategy) error {
	switch {
	case s.To.Compare(s.From) < 0:
		return invalid("to", "must not be before from")
	case s.To.DaysSince(s.From) > maxYears*366:
		return invalid("to", "must be at most %d years after from", maxYears)
	case s.Rebalance == onDates && len(s.Dates) == 0:
		return invalid("dates", `is missing: rebalance = "dates" needs them`)
	case s.Rebalance != onDates && len(s.Dates) > 0:
		return invalid("dates", `counts only with rebalance = "dates"`)
	}
	for i, date := range s.Dates {
		switch {
		case i > 0 && date.Compare(s.Dates[i-1]) <= 0:
			return invalid("dates", "must ascend: %s is not after %s", date, s.Dates[i-1])
		case date.Compare(s.From) < 0 || date.Compare(s.To) > 0:
			return invalid("dates", "must be from %s to %s: %s is not", s.From, s.To, date)
		}
	}
	return s.checkLags()
}

// checkLags refuses lags with which a rebalancing may last until the next one: each sale and each
// purchase may wait for a quote. The error names the field that is too long by itself, if one is.
func (s *Strategy) checkLags() error {
	buying, selling := *s.EntryLag+quoteWait, *s.ExitLag+2*quoteWait
	longest, least := max(buying, selling+*s.RedemptionDays), s.leastGap()
	if longest < least {
		return nil
	}
	field := "redemption_days"
	switch {
	case selling >= least:
		field = "exit_lag"
	case buying >= least:
		field = "entry_lag"
	}
	return invalid(field, "is too long: a rebalancing may take %d days with the lags and the wait for quotes, and "+
		"the next one comes after %d", longest, least)
}

// leastGap is the least number of days between two dates of the strategy.
func (s *Strategy) leastGap() int {
	switch s.Rebalance {
	case monthly:
		return 28
	case quarterly:
		return 90
	}
	least := math.MaxInt
	for i := 1; i < len(s.Dates); i++ {
		least = min(least, s.Dates[i].DaysSince(s.Dates[i-1]))
	}
	return least
}

func checkSelection(s *Strategy) error {
	switch {
	case !slices.Contains(Sorts, s.Sort):
		return invalid("sort", "must be one of: %s", strings.Join(Sorts, ", "))
	case s.Top > 0 && s.Quantile > 0:
		return invalid("quantile", "must not be given together with top")
	case s.Top == 0 && s.Quantile == 0:
		return invalid("top", "is missing: give top, the number of series, or quantile, a fraction of them")
	case s.Filter.SpheresMin != nil && s.Filter.SpheresMax != nil && *s.Filter.SpheresMin > *s.Filter.SpheresMax:
		return invalid("filter.cmf_spheres_min", "must not be greater than cmf_spheres_max")
	case s.ClassifiedLater && s.Known != "revised":
		return invalid("classified_later",
			`uses families that were stated later: say known = "revised" too, or leave it out`)
	case !s.Convert && s.Filter.Currency != "" && s.Filter.Currency != s.Currency:
		return invalid("filter.currency", "is not the currency of the portfolio: say convert = true, or currency = %q",
			s.Filter.Currency)
	}
	return nil
}

// checkNumbers refuses numbers that are no numbers, which the tags let pass.
func checkNumbers(s *Strategy) error {
	for _, number := range []struct {
		name  string
		value *float64
	}{
		{"quantile", &s.Quantile}, {"costs.buy", &s.Costs.Buy}, {"costs.sell", &s.Costs.Sell},
		{"filter.tac_max", s.Filter.TACMax}, {"filter.equity_clp_min", s.Filter.EquityMin},
		{"filter.volatility_12m_max", s.Filter.VolatilityMax}, {"filter.max_drawdown_36m_min", s.Filter.DrawdownMin},
	} {
		if number.value != nil && (math.IsNaN(*number.value) || math.IsInf(*number.value, 0)) {
			return invalid(number.name, "is not a number")
		}
	}
	return nil
}

func checkSeries(s *Strategy) error {
	if s.Benchmark != "" {
		if _, err := parseReference(s.Benchmark, true); err != nil {
			return invalid("benchmark", "%v", err)
		}
	}
	if s.RiskFree != "" {
		if _, err := parseReference(s.RiskFree, false); err != nil {
			return invalid("risk_free", "%v", err)
		}
	}
	return nil
}

// reference is a benchmark or a risk-free rate, as a strategy names it (section 6).
type reference struct {
	kind     string // family, uf, symbol or rate
	name     string // of a family or a symbol
	currency string // of a family index
	rate     float64
}

// parseReference reads family:NAME:CURRENCY, uf, symbol:SYMBOL or rate:R.
func parseReference(text string, families bool) (reference, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "uf":
		if rest == "" {
			return reference{kind: kind}, nil
		}
	case "rate":
		rate, err := strconv.ParseFloat(rest, 64)
		if err != nil || math.IsNaN(rate) || rate <= -1 || rate > 10 {
			return reference{}, fmt.Errorf("%q is no rate like rate:0.03, a fraction per year above -1 and at most 10",
				text)
		}
		return reference{kind: kind, rate: rate}, nil
	case "symbol":
		if rest != "" {
			return reference{kind: kind, name: rest}, nil
		}
	case "family":
		at := strings.LastIndex(rest, ":")
		if families && at > 0 && (rest[at+1:] == "PESOS" || rest[at+1:] == "DOLAR") {
			return reference{kind: kind, name: rest[:at], currency: rest[at+1:]}, nil
		}
	}
	if families {
		return reference{}, fmt.Errorf(
			"%q is none of family:NAME:PESOS, family:NAME:DOLAR, uf, symbol:SYMBOL and rate:0.03", text)
	}
	return reference{}, fmt.Errorf("%q is none of uf, symbol:SYMBOL and rate:0.03", text)
}

package operation

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"

	"github.com/google/uuid"
)

// AssetParams are the parameters of an endpoint about a series.
type AssetParams struct {
	Asset AssetID `path:"asset_id" example:"1161378270" doc:"Id of a series: decimal for mutual funds, a UUID for investment funds and ETFs. Of a renamed series every id that it ever had; the reply repeats the one asked for"`
}

// FundParams are the parameters of an endpoint about a fund.
type FundParams struct {
	RUN RUNParam `path:"run" example:"8011-K" doc:"RUN of a fund, with or without check digit: 8011-K or 8011"`
}

// InstrumentParams are the parameters of an endpoint about an instrument of an investment
// fund.
type InstrumentParams struct {
	Instrument InstrumentID `path:"instrument_id" example:"ddf92f33-386c-55e2-9b10-9d87948dc8cf" doc:"Id of an instrument, the UUID that is also the asset_id of its series"`
}

// BatchParams are the parameters of an endpoint that a caller may ask about an older batch.
type BatchParams struct {
	BatchID string `query:"batch_id" max:"200" doc:"Answer from this batch, so that a client's next page comes from the batch of its first; 410 batch_gone once it is not kept any more. Absent: the current batch. An extension of this service."`
}

func (p *BatchParams) namedBatch() string { return p.BatchID }

// DateParam is a calendar date in the form YYYY-MM-DD. It is absent if given is false.
type DateParam struct {
	model.Date
	Given bool
}

// Read implements httpapi.Value.
func (d *DateParam) Read(text string) *httpapi.Violation {
	return d.ReadAs(time.DateOnly, text,
		httpapi.Violation{Type: "date_parsing", Msg: "Must be a calendar date in the form YYYY-MM-DD"})
}

// ReadAs reads a date of the years 1 to 9999 that is written exactly in a form. For any other
// text it returns the violation.
func (d *DateParam) ReadAs(form, text string, wrong httpapi.Violation) *httpapi.Violation {
	at, err := time.Parse(form, text)
	if err != nil || len(text) != len(form) || at.Year() < 1 {
		return &wrong
	}
	*d = DateParam{model.DateOf(at), true}
	return nil
}

// Dated implements httpapi.Dated.
func (DateParam) Dated() {}

// Schema implements httpapi.Value.
func (DateParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "format": "date", "pattern": "^" + DatePattern("-") + "$"}
}

// Patterns of years, for the schemas of dates: 0001 to 9999, and those of them with a 29 February.
const (
	yearPattern     = "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
	leapYearPattern = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
)

// DatePattern matches the dates that a DateParam reads, with this text between year, month and day.
func DatePattern(between string) string {
	return "(" + yearPattern + between + "((0[13578]|1[02])" + between + "(0[1-9]|[12][0-9]|3[01])|(0[469]|11)" +
		between + "(0[1-9]|[12][0-9]|30)|02" +
		between + "(0[1-9]|1[0-9]|2[0-8]))|" + leapYearPattern + between + "02" + between + "29)"
}

// Or returns the date as ClickHouse can store it, and fallback if it is absent.
func (d DateParam) Or(fallback model.Date) model.Date {
	if !d.Given {
		return fallback
	}
	return Storable(d.Date)
}

// WrongParameter refuses a request for one parameter of its query string.
func WrongParameter(name, kind, msg string) []httpapi.Violation {
	return []httpapi.Violation{{Loc: []string{"query", name}, Type: kind, Msg: msg}}
}

// CheckPeriod is CheckRange for a period that has at most so many days.
func CheckPeriod(from, to DateParam, most int) []httpapi.Violation {
	if out := CheckRange(from, to); out != nil {
		return out
	}
	if to.DaysSince(from.Date) >= most {
		return WrongParameter("to_date", "value_error",
			fmt.Sprintf("Must be at most %d days after from_date: ask for longer periods in parts", most-1))
	}
	return nil
}

// CheckRange refuses a to_date before the from_date.
func CheckRange(from, to DateParam) []httpapi.Violation {
	if from.Given && to.Given && from.Compare(to.Date) > 0 {
		return []httpapi.Violation{{Loc: []string{"query", "from_date"}, Type: "value_error",
			Msg: "Must not be after to_date", Input: from.String()}}
	}
	return nil
}

// MonthParam is a calendar month in the form YYYY-MM: its first day. It is absent if given
// is false.
type MonthParam struct{ DateParam }

const monthForm = "2006-01"

// Read implements httpapi.Value.
func (m *MonthParam) Read(text string) *httpapi.Violation {
	return m.ReadAs(monthForm, text,
		httpapi.Violation{Type: "month_parsing", Msg: "Must be a calendar month in the form YYYY-MM"})
}

// String implements httpapi.Value.
func (m *MonthParam) String() string { return m.Time().Format(monthForm) }

// Schema implements httpapi.Value.
func (MonthParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "pattern": "^" + yearPattern + "-(0[1-9]|1[0-2])$"}
}

// LastDay returns the last day of the month.
func (m MonthParam) LastDay() model.Date { return model.DateOf(m.Time().AddDate(0, 1, -1)) }

// IDParam is the decimal id of a manager or fund.
type IDParam uint32

// Read implements httpapi.Value.
func (id *IDParam) Read(text string) *httpapi.Violation {
	parsed, valid := ParseID(text)
	if !valid {
		return &httpapi.Violation{Type: "int_parsing", Msg: "Must be a whole number from 0 to 4294967295"}
	}
	*id = IDParam(parsed)
	return nil
}

// String implements httpapi.Value.
func (id *IDParam) String() string { return IDText(uint32(*id)) }

// Schema implements httpapi.Value.
func (IDParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "integer", "minimum": 0, "maximum": math.MaxUint32}
}

// IDPattern matches what ParseID reads.
const IDPattern = "0*([0-9]{1,9}|[1-3][0-9]{9}|4[01][0-9]{8}|42[0-8][0-9]{7}|429[0-3][0-9]{6}|4294[0-8][0-9]{5}|42949[0-5][0-9]{4}|" +
	"429496[0-6][0-9]{3}|4294967[01][0-9]{2}|42949672[0-8][0-9]|429496729[0-5])"

// ParseID reads decimal digits up to 4294967295. Leading zeros do not matter (RULES 4).
func ParseID(text string) (uint32, bool) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	id, err := strconv.ParseUint(text, 10, 32)
	return uint32(id), err == nil
}

// AssetID is the id of a series: a decimal number for a mutual fund, a UUID for an
// investment fund or ETF.
type AssetID struct {
	Series uint32
	UUID   uuid.NullUUID // not valid for a decimal id
}

// UnknownSeries is the error of a request about a series that the batch does not know.
func UnknownSeries() error {
	return httpapi.NotFound("There is no series of this id. GET /api/conceptual_assets/{concept_id}/real_assets " +
		"lists those of a fund, " +
		"GET /api/fi/instruments those of investment funds.")
}

// IsUUID reports whether the id is that of a series of an investment fund.
func (a AssetID) IsUUID() bool { return a.UUID.Valid }

// String returns the id as replies show it.
func (a AssetID) String() string {
	if a.IsUUID() {
		return a.UUID.UUID.String()
	}
	return IDText(a.Series)
}

// Read implements httpapi.Value.
func (a *AssetID) Read(text string) *httpapi.Violation {
	if id, isID := ParseID(text); isID {
		*a = AssetID{Series: id}
		return nil
	}
	if id, isUUID := parseUUID(text); isUUID {
		*a = uuidAsset(id)
		return nil
	}
	return &httpapi.Violation{Type: "asset_id_parsing", Msg: "Must be a whole number from 0 to 4294967295, or a UUID"}
}

// Schema implements httpapi.Value.
func (AssetID) Schema() httpapi.Schema {
	return httpapi.Schema{"anyOf": []httpapi.Schema{IDParam(0).Schema(), InstrumentID{}.Schema()}}
}

func uuidAsset(id uuid.UUID) AssetID { return AssetID{UUID: uuid.NullUUID{UUID: id, Valid: true}} }

// parseUUID reads the form of 36 characters, of either case.
func parseUUID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == 36
}

// InstrumentID is the id of a series of an investment fund, or of a fund without series.
type InstrumentID struct{ uuid.UUID }

// Read implements httpapi.Value.
func (id *InstrumentID) Read(text string) *httpapi.Violation {
	parsed, valid := parseUUID(text)
	if !valid {
		return &httpapi.Violation{Type: "uuid_parsing",
			Msg: "Must be a UUID, as in ddf92f33-386c-55e2-9b10-9d87948dc8cf"}
	}
	id.UUID = parsed
	return nil
}

// Schema implements httpapi.Value.
func (InstrumentID) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "format": "uuid",
		"pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}
}

// RUNParam is the RUN of a fund, with or without check digit, dots and spaces. A wrong check
// digit is refused (RULES 12).
type RUNParam struct{ model.RUN }

// Read implements httpapi.Value.
func (r *RUNParam) Read(text string) *httpapi.Violation {
	run, err := model.ParseRUN(text)
	switch {
	case errors.Is(err, model.ErrCheckDigit):
		return &httpapi.Violation{Type: "run_check_digit",
			Msg: "Must end in the check digit that belongs to the number, or have none"}
	case err != nil:
		return &httpapi.Violation{Type: "run_parsing",
			Msg: "Must be a RUN of one to eight digits, with or without its check digit, as in 8011-K"}
	}
	r.RUN = run
	return nil
}

// Schema implements httpapi.Value.
func (RUNParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "maxLength": 32,
		"pattern": `^[. ]*(0[. ]*)*[1-9][. ]*([0-9][. ]*){0,7}(-[. ]*[0-9Kk][. ]*)?$`}
}

var currencyForm = regexp.MustCompile(`^([Pp][Ee][Ss][Oo][Ss]|[Cc][Ll][Pp]|[Dd][Oo][Ll][Aa][Rr]|[Uu][Ss][Dd])$`)

// CurrencyParam is an accounting currency, by the regulator's name or the ISO code. It is
// PESOS, DOLAR, or empty if absent.
type CurrencyParam string

// Read implements httpapi.Value.
func (c *CurrencyParam) Read(text string) *httpapi.Violation {
	switch {
	case !currencyForm.MatchString(text): // also what is one of the words only in upper case, such as peſos
		return &httpapi.Violation{Type: "literal_error", Msg: "Must be PESOS or CLP, DOLAR or USD"}
	case strings.EqualFold(text, "PESOS"), strings.EqualFold(text, "CLP"):
		*c = "PESOS"
	default:
		*c = "DOLAR"
	}
	return nil
}

// String implements httpapi.Value.
func (c *CurrencyParam) String() string { return string(*c) }

// Schema implements httpapi.Value. The bound is that of the interface contract, section 3. Empty text is the same as an
// absent parameter.
func (CurrencyParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "maxLength": 20, "pattern": "^$|" + currencyForm.String()}
}

// Nullable returns a value for a Nullable parameter of a statement: nil if there is none.
func Nullable[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

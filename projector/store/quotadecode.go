package store

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"cuota/model"
)

// decodeQuota decodes a quota event. Text in exactly the form that ingest writes, with all
// fields in order and no spaces, is read here, at a tenth of the cost of encoding/json. Any
// other text is left to encoding/json. Both give the same result.
func decodeQuota(text []byte, q *model.Quota) error {
	if plainQuota(text, q) {
		return nil
	}
	*q = model.Quota{}
	if err := json.Unmarshal(text, q); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	var former formerFlags
	if err := json.Unmarshal(text, &former); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	former.complete(q)
	return nil
}

// formerFlags are fields that earlier versions of ingest wrote. Such events may be on their way while the program is
// updated. They took 0 and 1 in the column INVERSION_EN_FONDOS, which is an amount, for a flag.
type formerFlags struct {
	Institutional *bool `json:"institutional_fund"`
	Pension       *bool `json:"pension_fund"`
	InFunds       *bool `json:"invests_in_funds"`
}

// complete fills what the event states only in the former fields.
func (f formerFlags) complete(q *model.Quota) {
	letter := func(flag *bool, into *string) {
		switch {
		case flag == nil || *into != "":
		case *flag:
			*into = "S"
		default:
			*into = "N"
		}
	}
	letter(f.Institutional, &q.InstitutionalFlag)
	letter(f.Pension, &q.PensionFlag)
	if f.InFunds != nil && !q.InvestedInFunds.Valid {
		amount := decimal.Decimal{}
		if *f.InFunds {
			amount = decimal.New(1, 0)
		}
		q.InvestedInFunds = decimal.NewNullDecimal(amount)
	}
}

// plainQuota decodes a text in the form that ingest writes. It returns false for any other
// form, and may have filled some fields of q.
func plainQuota(text []byte, q *model.Quota) bool {
	r := plainReader{rest: text}
	q.SHA256 = r.text(`{"sha256":`)
	q.Line = uint32(r.number(`,"line":`, math.MaxUint32))
	q.Revision = int64(r.number(`,"revision":`, math.MaxInt64))
	q.RUN = model.RUN(r.number(`,"run":`, math.MaxUint32))
	q.Serie = r.text(`,"serie":`)
	q.Date = r.date(`,"date":`)
	q.ManagerRUT = model.RUT(r.number(`,"manager_rut":`, math.MaxUint32))
	q.Manager = r.text(`,"manager":`)
	q.Currency = r.text(`,"currency":`)
	q.Quota = r.decimal(`,"quota":`)
	q.Equity = r.decimal(`,"equity":`)
	q.TotalAssets = r.maybeDecimal(`,"total_assets":`)
	q.UnitsOutstanding = r.decimal(`,"units_outstanding":`)
	q.UnitsContributed = r.decimal(`,"units_contributed":`)
	q.UnitsRedeemed = r.decimal(`,"units_redeemed":`)
	q.Shareholders = uint32(r.number(`,"shareholders":`, math.MaxUint32))
	q.Institutional = r.maybePeople(`,"institutional":`)
	q.InstitutionalFlag = r.text(`,"participes_inst":`)
	q.PensionFlag = r.text(`,"fondo_pen":`)
	q.InvestedInFunds = r.maybeDecimal(`,"invested_in_funds":`)
	q.FixedFee = r.decimal(`,"fixed_fee":`)
	q.VariableFee = r.decimal(`,"variable_fee":`)
	q.AffectedExpenses = r.decimal(`,"affected_expenses":`)
	q.UnaffectedExpenses = r.decimal(`,"unaffected_expenses":`)
	q.SubscriptionFee = r.maybeDecimal(`,"subscription_fee":`)
	q.RedemptionFee = r.maybeDecimal(`,"redemption_fee":`)
	q.AdjustmentFactor = r.maybeDecimal(`,"adjustment_factor":`)
	q.DistributionFactor = r.maybeDecimal(`,"distribution_factor":`)
	return !r.lost && string(r.rest) == "}"
}

// plainReader reads the fields of an object in order, each with the literal text before its
// value. If a field does not match, lost becomes true, and all later reads fail.
type plainReader struct {
	rest []byte
	lost bool
}

// skip reads a literal that must come next.
func (r *plainReader) skip(literal string) bool {
	if r.lost || len(r.rest) < len(literal) || string(r.rest[:len(literal)]) != literal {
		r.lost = true
		return false
	}
	r.rest = r.rest[len(literal):]
	return true
}

// quoted reads a text in quotes, without escapes and in valid UTF-8.
func (r *plainReader) quoted(before string) []byte {
	if !r.skip(before) || !r.skip(`"`) {
		return nil
	}
	ascii := true
	for i, c := range r.rest {
		switch {
		case c == '"':
			text := r.rest[:i]
			r.rest = r.rest[i+1:]
			r.lost = !ascii && !utf8.Valid(text)
			return text
		case c < ' ' || c == '\\':
			r.lost = true
			return nil
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	r.lost = true
	return nil
}

func (r *plainReader) text(before string) string { return string(r.quoted(before)) }

func (r *plainReader) date(before string) (d model.Date) {
	if text := r.quoted(before); !r.lost && d.UnmarshalText(text) != nil {
		r.lost = true
	}
	return d
}

// maxDigits is how many digits always fit into an int64.
const maxDigits = 18

// digits reads up to maxDigits digits.
func digits(text []byte) (value int64, length int) {
	for length < len(text) && length < maxDigits && text[length] >= '0' && text[length] <= '9' {
		value = 10*value + int64(text[length]-'0')
		length++
	}
	return value, length
}

// number reads a whole number without a sign. If it has more than maxDigits digits, the
// next field does not match.
func (r *plainReader) number(before string, most int64) int64 {
	if !r.skip(before) {
		return 0
	}
	value, length := digits(r.rest)
	if length == 0 || length > 1 && r.rest[0] == '0' || value > most {
		r.lost = true
		return 0
	}
	r.rest = r.rest[length:]
	return value
}

// decimal reads a quoted number: a sign, digits, and a point between digits.
func (r *plainReader) decimal(before string) decimal.Decimal {
	text := r.quoted(before)
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	value, length := digits(text)
	if length == 0 {
		r.lost = true
		return decimal.Decimal{}
	}
	places := 0
	if rest := text[length:]; len(rest) > 0 {
		var fraction int64
		fraction, places = digits(rest[1:])
		if rest[0] != '.' || places == 0 || places+1 < len(rest) || length+places > maxDigits {
			r.lost = true
			return decimal.Decimal{}
		}
		for range places {
			value *= 10
		}
		value += fraction
	}
	if negative {
		value = -value
	}
	if value == 0 && places == 0 {
		return decimal.Decimal{} // most fees are zero, and this does not allocate
	}
	return decimal.New(value, int32(-places))
}

// maybePeople reads a whole number or null.
func (r *plainReader) maybePeople(before string) *uint32 {
	if !r.skip(before) {
		return nil
	}
	if len(r.rest) > 0 && r.rest[0] == 'n' {
		r.skip("null")
		return nil
	}
	people := uint32(r.number("", math.MaxUint32))
	return &people
}

// maybeDecimal reads a quoted number or null.
func (r *plainReader) maybeDecimal(before string) decimal.NullDecimal {
	if !r.skip(before) {
		return decimal.NullDecimal{}
	}
	if len(r.rest) > 0 && r.rest[0] == 'n' {
		r.skip("null")
		return decimal.NullDecimal{}
	}
	return decimal.NullDecimal{Decimal: r.decimal(""), Valid: true}
}

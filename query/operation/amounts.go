package operation

import (
	"cmp"
	"strconv"

	"github.com/shopspring/decimal"
)

// IDText returns a number of a series, fund or manager as replies show it.
func IDText(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

// Amount is an exact decimal. JSON shows it as a number with all its digits and no
// exponent.
type Amount struct{ decimal.Decimal }

// MarshalJSON writes the plain digits.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// AmountOf returns a decimal as replies show it; nil for nil.
func AmountOf(d *decimal.Decimal) *Amount {
	return Mapped(d, func(d decimal.Decimal) Amount { return Amount{d} })
}

// MillionsOf returns equity in millions, as the lists show it.
func MillionsOf(d *decimal.Decimal) *Amount {
	return Mapped(d, func(d decimal.Decimal) Amount { return Amount{d.Shift(-6)} })
}

// IsoCurrency returns the currency codes that the lists of funds and series use. Currencies
// other than PESOS and DOLAR stay as they are.
func IsoCurrency(currency *string) *string {
	return Mapped(currency, func(code string) string {
		return cmp.Or(map[string]string{"PESOS": "CLP", "DOLAR": "USD"}[code], code)
	})
}

package query

import (
	"cmp"
	"strconv"

	"github.com/shopspring/decimal"
)

func idText(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

// amount is an exact decimal. JSON shows it as a number with all its digits and no
// exponent.
type amount struct{ decimal.Decimal }

// MarshalJSON writes the plain digits.
func (a amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

func amountOf(d *decimal.Decimal) *amount {
	return mapped(d, func(d decimal.Decimal) amount { return amount{d} })
}

// millionsOf returns equity in millions, as the lists show it.
func millionsOf(d *decimal.Decimal) *amount {
	return mapped(d, func(d decimal.Decimal) amount { return amount{d.Shift(-6)} })
}

// isoCurrency returns the currency codes that the lists of funds and series use. Currencies
// other than PESOS and DOLAR stay as they are.
func isoCurrency(currency *string) *string {
	return mapped(currency, func(code string) string {
		return cmp.Or(map[string]string{"PESOS": "CLP", "DOLAR": "USD"}[code], code)
	})
}

package parse

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
)

// shape is the set of numbers that a column may hold: those that its storage,
// Decimal(integers+decimals, decimals), holds exactly. A number outside the set is
// rejected and never rounded, except in noisy columns.
type shape struct {
	integers int // digits before the point
	decimals int // digits after it
	signed   bool
	// The values of noisy columns passed through binary floating point at their source,
	// so that 1.32 appears as 1.3200000524520874. They are rounded to the decimals, half
	// away from zero. exponent also accepts 4.8e-05, the way such numbers are printed.
	noisy, exponent bool
	// digits is the number of significant digits in a noisy column. It limits the
	// decimals further where many digits stand before the point: a 32-bit float of 22.3
	// appears as 22.299999237060547. 0: only the decimals are limited.
	digits int
	// chilean is the form 1.234.567,89, in which 1.234 is one thousand two hundred
	// thirty-four.
	chilean bool
}

// All shapes have at most 18 digits, so that a number times 10^decimals fits into an
// int64.
var (
	quotaShape  = shape{integers: 12, decimals: 6}
	amountShape = shape{integers: 14, decimals: 4}
	chargeShape = shape{integers: 14, decimals: 4, signed: true} // a reversed accrual may be negative
	factorShape = shape{integers: 9, decimals: 9}
	// The association's sheet comes from a workbook, with numbers such as
	// 4705275.5905999998.
	aafmShape      = shape{integers: 14, decimals: 4, noisy: true}
	aafmQuotaShape = shape{integers: 12, decimals: 4, noisy: true}
	// On some days of 2013 the UF is printed as 23040.939999999.
	indicatorShape = shape{integers: 12, decimals: 4, noisy: true}
	// The comparators' columns are 32-bit floats, which hold seven digits.
	comparatorShape = shape{integers: 10, decimals: 6, noisy: true, exponent: true}
	returnShape     = shape{integers: 10, decimals: 6, noisy: true, exponent: true, signed: true}
	// A cost rate is compared with that of another month, so no noise may remain.
	syntheticShape = shape{integers: 10, decimals: 6, digits: 7, noisy: true, exponent: true}
	// Short positions are negative.
	unitsShape  = shape{integers: 12, decimals: 6, signed: true}
	weightShape = shape{integers: 10, decimals: 8, signed: true}
	// Prices come from feeds that store binary floating point.
	priceShape = shape{integers: 12, decimals: 6, noisy: true}
	// Numbers on the pages and in the portfolios of investment funds.
	chileanUnitShape   = shape{integers: 12, decimals: 6, signed: true, chilean: true}
	chileanAmountShape = shape{integers: 14, decimals: 4, signed: true, chilean: true}
	chileanWeightShape = shape{integers: 10, decimals: 8, signed: true, chilean: true}
)

// maxNumber bounds the text of a number, in bytes.
const maxNumber = 48

// parseDecimal reads `[-]digits[.digits]`. Sources leave out the zero before the point,
// as in .0881. `1.` is refused, because it looks like a number that was cut off.
func parseDecimal(text string, s shape) (decimal.Decimal, error) {
	if len(text) > maxNumber {
		return decimal.Decimal{}, fmt.Errorf("%s is too long to be a number; download the file again",
			excerpt.Quoted(text))
	}
	plain := text
	if s.chilean {
		var err error
		if plain, err = plainChilean(text); err != nil {
			return decimal.Decimal{}, err
		}
	}
	mantissa, exponent, err := cutExponent(plain, s)
	if err != nil {
		return decimal.Decimal{}, err
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, hasPoint := strings.Cut(unsigned, ".")
	if !Digits(whole) || !Digits(fraction) || whole+fraction == "" || hasPoint && fraction == "" {
		return decimal.Decimal{}, numberFlaw(text)
	}
	if negative && !s.signed {
		return decimal.Decimal{},
			fmt.Errorf("%s is negative, and values of this column can't be; have the source correct it",
				excerpt.Quoted(text))
	}
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if s.noisy {
		return parseNoisy(text, negative, whole, fraction, exponent, s)
	}
	if len(whole) > s.integers {
		return decimal.Decimal{}, tooLarge(text, s)
	}
	if len(fraction) > s.decimals {
		return decimal.Decimal{},
			fmt.Errorf("%s has more than %d decimals, the most that this column allows; download the file again "+
				"without converting it", excerpt.Quoted(text), s.decimals)
	}
	var coefficient int64
	for _, part := range [2]string{whole, fraction} {
		for i := range len(part) {
			coefficient = coefficient*10 + int64(part[i]-'0')
		}
	}
	if coefficient == 0 {
		return decimal.Decimal{}, nil // also for -0
	}
	if negative {
		coefficient = -coefficient
	}
	return decimal.New(coefficient, -int32(len(fraction))), nil
}

// parseNoisy rounds the parts of a number that parseDecimal has split.
func parseNoisy(text string, negative bool, whole, fraction string, exponent int32, s shape) (decimal.Decimal, error) {
	number, err := decimal.NewFromString("0" + whole + "." + fraction + "0")
	if err != nil {
		return decimal.Decimal{}, numberFlaw(text)
	}
	number = number.Shift(exponent)
	decimals := s.decimals
	if before := number.Truncate(0); s.digits > 0 && !before.IsZero() {
		decimals = min(decimals, s.digits-before.NumDigits())
	}
	number = number.Round(int32(decimals))
	if number.GreaterThanOrEqual(decimal.New(1, int32(s.integers))) {
		return decimal.Decimal{}, tooLarge(text, s)
	}
	if negative {
		number = number.Neg()
	}
	return number, nil
}

// cutExponent splits off an exponent of one or two digits, if the shape allows one.
func cutExponent(text string, s shape) (mantissa string, exponent int32, err error) {
	mantissa, power, found := strings.Cut(text, "e")
	if !found || !s.exponent {
		return text, 0, nil
	}
	n, err := strconv.ParseInt(power, 10, 32)
	if err != nil || n < -30 || n > 30 {
		return "", 0, numberFlaw(text)
	}
	return mantissa, int32(n), nil
}

// plainChilean rewrites 1.234.567,89 as 1234567.89. Points must separate every three
// digits or be absent, so that 1.5 is refused and not read as 15.
func plainChilean(text string) (string, error) {
	whole, fraction, hasComma := strings.Cut(text, ",")
	unsigned, negative := strings.CutPrefix(whole, "-")
	groups := strings.Split(unsigned, ".")
	inThrees := len(groups) == 1 || groups[0] != "" && len(groups[0]) <= 3
	for _, group := range groups[1:] {
		inThrees = inThrees && len(group) == 3
	}
	plain := strings.Join(groups, "")
	if !inThrees || !Digits(plain) || plain == "" || !Digits(fraction) || hasComma && fraction == "" {
		return "", fmt.Errorf("%s is not a number of the form 1.234.567,89; download the file again and keep its "+
			"numbers as they are", excerpt.Quoted(text))
	}
	if negative {
		plain = "-" + plain
	}
	if hasComma {
		plain += "." + fraction
	}
	return plain, nil
}

// Digits reports whether a text has only digits, or is empty.
func Digits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

func tooLarge(text string, s shape) error {
	return fmt.Errorf("%s has more than %d digits before the point, the most that this column allows; compare it "+
		"with the source", excerpt.Quoted(text), s.integers)
}

// numberFlaw returns an error that says why text is not a number, and names the common
// mistakes.
func numberFlaw(text string) error {
	const want = "digits with a decimal point and without thousands separators, as 1421.0319"
	switch {
	case text == "":
		return fmt.Errorf("is blank, expected %s; download the file again", want)
	case strings.Contains(text, ","):
		return fmt.Errorf("%s has a comma, expected %s; the file was converted: download it again and keep it as it is",
			excerpt.Quoted(text), want)
	case strings.Count(text, ".") > 1:
		return fmt.Errorf("%s has several points, expected %s; the file was converted: download it again and keep it "+
			"as it is", excerpt.Quoted(text), want)
	case strings.HasSuffix(text, "."):
		return fmt.Errorf("%s ends with a point and may be cut off, expected %s; download the file again",
			excerpt.Quoted(text), want)
	case strings.ContainsAny(text, " \t"):
		return fmt.Errorf("%s has a space, expected %s; download the file again", excerpt.Quoted(text), want)
	}
	return fmt.Errorf("%s is not a number, expected %s; download the file again", excerpt.Quoted(text), want)
}

// maxPeople bounds a number of people: five times the population of the country. Sums of any
// number of such values fit into 64 bits. The highest one seen is 105,656.
const maxPeople = 100_000_000

// parsePeople reads a number of people.
func parsePeople(text string) (uint32, error) {
	n, err := parseCount(text)
	if err == nil && n > maxPeople {
		return 0, fmt.Errorf("%s is more than %d, the most that is accepted as a number of people; compare it with "+
			"the source", excerpt.Quoted(text), maxPeople)
	}
	return n, err
}

// grouped reports whether points stand between each three digits, as in 96.667.560.
func grouped(text string) bool {
	groups := strings.Split(text, ".")
	if len(groups) < 2 || groups[0] == "" || len(groups[0]) > 3 {
		return false
	}
	for _, group := range groups[1:] {
		if len(group) != 3 {
			return false
		}
	}
	return Digits(strings.Join(groups, ""))
}

// parseCount reads a count, such as a number of people: digits only.
func parseCount(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || !Digits(text) {
		return 0, fmt.Errorf("%s is not a count, expected only digits; download the file again", excerpt.Quoted(text))
	}
	return uint32(n), nil
}

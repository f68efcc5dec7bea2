package synth

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// Amounts, units and quotas are whole numbers of 1/10,000, which is the exact precision of the
// files.
const scale = 10_000

// appendNumber writes v/10^decimals in the form of the cartola: with a decimal point, no zero
// before it, and no trailing zeros.
func appendNumber(to []byte, v int64, decimals int) []byte {
	if v < 0 {
		to = append(to, '-')
		v = -v
	}
	power := int64(1)
	for range decimals {
		power *= 10
	}
	whole, part := v/power, v%power
	if whole > 0 || part == 0 {
		to = strconv.AppendInt(to, whole, 10)
	}
	if part == 0 {
		return to
	}
	to = append(to, '.')
	for part > 0 {
		power /= 10
		to = append(to, byte('0'+part/power))
		part %= power
	}
	return to
}

// number writes an amount, a quota or units with appendNumber.
func number(v int64) string { return string(appendNumber(nil, v, 4)) }

// fixed rounds a number to 1/10,000.
func fixed(x float64) int64 { return int64(math.Round(x * scale)) }

// rounded writes x with at most the given number of decimals, without trailing zeros.
func rounded(x float64, decimals int) string {
	power := math.Pow10(decimals)
	n := int64(math.Round(x * power))
	return withZero(appendNumber(nil, n, decimals))
}

// withZero writes the zero before the point that appendNumber leaves out, as sheets and
// comparators do.
func withZero(number []byte) string {
	if at := bytes.IndexByte(number, '.'); at == 0 || at == 1 && number[0] == '-' {
		number = slices.Insert(number, at, '0')
	}
	return string(number)
}

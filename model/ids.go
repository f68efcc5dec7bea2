package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// RUN is a fund's number in the regulator's register, without its check digit
// (RULES 12). Its text form includes the digit: "8011-K".
type RUN uint32

// RUT is the tax number of a manager (AGF) or an issuer, without its check digit.
type RUT uint32

// maxRol is the highest RUN or RUT: eight digits, the width in the sources.
const maxRol = 99_999_999

// ErrCheckDigit is wrapped by the error for a RUN or RUT whose check digit is not the
// one that modulus 11 gives.
var ErrCheckDigit = errors.New("wrong check digit")

// String returns the number with its check digit, as in "10058-7".
func (r RUN) String() string { return withCheckDigit(uint32(r)) }

// String returns the number with its check digit, as in "91999000-7".
func (r RUT) String() string { return withCheckDigit(uint32(r)) }

// ParseRUN reads a RUN with or without check digit, dots and spaces: "8011", "8011-K",
// "8.011-k". For a wrong digit it returns an error that wraps ErrCheckDigit.
func ParseRUN(text string) (RUN, error) { return parseRol[RUN]("RUN", text) }

// ParseRUT reads a RUT by the rules of ParseRUN.
func ParseRUT(text string) (RUT, error) { return parseRol[RUT]("RUT", text) }

func parseRol[T RUN | RUT](kind, text string) (T, error) {
	if len(text) > 32 {
		return 0, fmt.Errorf("%s of %d characters is too long", kind, len(text))
	}
	digits, check, hasCheck := strings.Cut(strings.Map(dropDotsAndSpaces, text), "-")
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 || n > maxRol || digits[0] == '+' {
		return 0, fmt.Errorf("%s %q is not a number of one to eight digits with an optional check digit", kind, text)
	}
	if want := checkDigit(uint32(n)); hasCheck && strings.ToUpper(check) != string(want) {
		return 0, fmt.Errorf("%s %q: %w, %d takes %c", kind, text, ErrCheckDigit, n, want)
	}
	return T(n), nil
}

func dropDotsAndSpaces(r rune) rune {
	if r == '.' || r == ' ' {
		return -1
	}
	return r
}

func withCheckDigit(n uint32) string {
	return strconv.FormatUint(uint64(n), 10) + "-" + string(checkDigit(n))
}

// checkDigit computes modulus 11 with the factors 2 to 7, from the last digit on.
func checkDigit(n uint32) rune {
	sum, factor := uint32(0), uint32(2)
	for ; n > 0; n /= 10 {
		sum += n % 10 * factor
		if factor++; factor > 7 {
			factor = 2
		}
	}
	switch rest := 11 - sum%11; rest {
	case 11:
		return '0'
	case 10:
		return 'K'
	default:
		return rune('0' + rest)
	}
}

// SoleSerie is the series name of a fund that has only one series and leaves its name
// blank. The regulator's comparators write it so.
const SoleSerie = "UNICA"

// maxSerie is the longest series name, in bytes. The longest one seen has 14 characters.
const maxSerie = 40

// NormalSerie returns the one spelling under which a series is stored: NFC, upper case,
// outer spaces cut, inner spaces collapsed; a blank name becomes SoleSerie (RULES 12).
// It fails for a name of more than 40 bytes and for one with a character that no series
// has: a control character, a semicolon or U+FFFD.
func NormalSerie(text string) (string, error) {
	if len(text) > 2*maxSerie {
		return "", fmt.Errorf("series name of %d bytes is too long", len(text))
	}
	serie := strings.ToUpper(norm.NFC.String(strings.Join(strings.Fields(text), " ")))
	if serie == "" {
		return SoleSerie, nil
	}
	if len(serie) > maxSerie {
		return "", fmt.Errorf("series name %q is longer than %d bytes", serie, maxSerie)
	}
	if i := strings.IndexFunc(serie, notInSerie); i >= 0 {
		return "", fmt.Errorf("series name %q has a character that is not allowed in series names", serie)
	}
	return serie, nil
}

func notInSerie(r rune) bool { return r < ' ' || r == 0x7f || r == ';' || r == 0xfffd }

package oracle

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Kinds of cost rates. Stated and computed rates are both real rates: they do not include the
// costs of the funds in which the fund invests. A synthetic rate does.
const (
	SyntheticTAC = "synthetic"
	StatedTAC    = "stated"
	ComputedTAC  = "computed"
)

// leastDecimals is the least number of decimals with which a file publishes its rates. It is 2
// because files write 1.5 for 1.50.
const leastDecimals = 2

// sheetDecimals is the number of decimals of the regulator's monthly sheet, as in 1.2219 %. A computed
// rate is the sheet's rate before the sheet is published, so a change that the sheet would not show is
// none.
const sheetDecimals = 4

// Statement is the cost rate of a series in a month as a file states it.
type Statement struct {
	Run     int
	Serie   string
	Month   time.Time // any day of the month
	Kind    string    // SyntheticTAC or StatedTAC
	Percent string    // as written in the file, with a decimal point
	File    string    // all rates of a file have the same number of decimals
}

// statedRate is a percentage without the rounding noise of its file format.
type statedRate struct {
	percent *big.Rat
	file    string
}

type statedMonth struct {
	series     Series
	kind, from string
}

// State adds a stated rate. It replaces an earlier one of the same series, month and kind. It
// fails if Percent is not a number.
func (m *Market) State(s Statement) error {
	written, err := withoutNoise(s.Percent, s.Kind == SyntheticTAC)
	if err != nil {
		return err
	}
	percent, ok := new(big.Rat).SetString(written)
	if !ok {
		return strconv.ErrSyntax
	}
	_, fraction, _ := strings.Cut(written, ".")
	m.decimals[s.File] = max(m.decimals[s.File], len(fraction), leastDecimals)
	m.stated[statedMonth{Series{s.Run, SerieName(s.Serie)}, s.Kind, iso(endOfMonth(s.Month))}] = statedRate{percent,
		s.File}
	return nil
}

// withoutNoise returns a percentage as it was published. The comparator, whose rates are
// synthetic, stores them as 32-bit floats, which have seven exact digits: 22.299999237060547 is
// 22.3. No rate has more than six decimals.
func withoutNoise(text string, binary bool) (string, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", err
	}
	if binary {
		if value, err = strconv.ParseFloat(strconv.FormatFloat(value, 'e', 6, 64), 64); err != nil {
			return "", err
		}
	}
	written := strconv.FormatFloat(value, 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(written, "0"), "."), nil
}

// TACChange is a change of the cost rate of a series from one month to the next. Rates are
// fractions.
type TACChange struct {
	Kind          string
	Before, After float64
}

// TACChange compares the rate of a month with that of the month before (RULES 2). Only rates of
// the same kind are compared: stated, else computed; synthetic only if no real rate of any
// month is known.
//
// ok is false if no kind has both months, or if the difference is too small to be real: less
// than half of the last decimal of the coarser of the two files, or of computed rates, of the
// regulator's sheet. A computed rate exists only once its month has ended at the cutoff.
func (m *Market) TACChange(run int, serie string, month, cutoff time.Time) (change TACChange, ok bool) {
	series := Series{run, SerieName(serie)}
	after := endOfMonth(month)
	before := endOfMonthBefore(after)
	kinds := []string{SyntheticTAC}
	if m.hasRealTAC(series, cutoff) {
		kinds = []string{StatedTAC, ComputedTAC}
	}
	for _, kind := range kinds {
		if kind == ComputedTAC {
			was, _, known := m.RealTAC(run, serie, before)
			is, _, knownToo := m.RealTAC(run, serie, after)
			if !known || !knownToo || after.After(midnight(cutoff)) {
				continue
			}
			return TACChange{kind, was, is}, notable(exact(100*is-100*was), sheetDecimals)
		}
		was, known := m.stated[statedMonth{series, kind, iso(before)}]
		is, knownToo := m.stated[statedMonth{series, kind, iso(after)}]
		if !known || !knownToo {
			continue
		}
		difference := new(big.Rat).Sub(is.percent, was.percent)
		return TACChange{kind, fraction(was.percent), fraction(is.percent)},
			notable(difference, min(m.decimals[was.file], m.decimals[is.file]))
	}
	return TACChange{}, false
}

// notable reports whether a difference of percentages is at least half of their last decimal.
func notable(difference *big.Rat, decimals int) bool {
	half := big.NewRat(1, 2)
	for range decimals {
		half.Quo(half, big.NewRat(10, 1))
	}
	return new(big.Rat).Abs(difference).Cmp(half) >= 0
}

// hasRealTAC reports whether a real rate of any month is known at the cutoff.
func (m *Market) hasRealTAC(series Series, cutoff time.Time) bool {
	for known := range m.stated {
		if known.series == series && known.kind == StatedTAC {
			return true
		}
	}
	looked := time.Time{}
	for _, q := range m.quotes[series] {
		end := endOfMonth(q.day)
		if end.After(midnight(cutoff)) {
			break
		}
		if end.Equal(looked) {
			continue
		}
		looked = end
		if _, _, known := m.RealTAC(series.Run, series.Name, end); known {
			return true
		}
	}
	return false
}

func endOfMonth(day time.Time) time.Time {
	year, month, _ := day.Date()
	return Date(year, month, daysInMonth(year, month))
}

func fraction(percent *big.Rat) float64 {
	f, _ := new(big.Rat).Quo(percent, big.NewRat(100, 1)).Float64()
	return f
}

package oracle

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Kinds of cost rates. A stated and a computed rate are both real: neither counts
// the costs of the funds that a fund holds, as a synthetic one does.
const (
	SyntheticTAC = "synthetic"
	StatedTAC    = "stated"
	ComputedTAC  = "computed"
)

// leastDecimals is how many decimals a file publishes at least: one that writes
// 1.5 for 1.50 has none with fewer.
const leastDecimals = 2

// Statement is the cost rate of a series and month as a file states it.
type Statement struct {
	Run     int
	Serie   string
	Month   time.Time // any day of it
	Kind    string    // SyntheticTAC or StatedTAC
	Percent string    // as written, with a decimal point
	File    string    // the rates of one file are published with the same decimals
}

// statedRate is a percentage without the noise of the format that it came through.
type statedRate struct {
	percent *big.Rat
	file    string
}

type statedMonth struct {
	series     Series
	kind, from string
}

// State adds a stated rate. It replaces an earlier one of the same series, month
// and kind, as a correction does.
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
	m.stated[statedMonth{Series{s.Run, SerieName(s.Serie)}, s.Kind, iso(endOfMonth(s.Month))}] = statedRate{percent, s.File}
	return nil
}

// withoutNoise gives a percentage as its file published it. The comparator, whose
// rates are synthetic, keeps them in 32-bit floats, which are good for seven
// digits: 22.299999237060547 is 22.3. Nothing has more than six decimals.
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

// TACChange is how the cost rate of a series changed from a month to the next.
// Rates are fractions.
type TACChange struct {
	Kind          string
	Before, After float64
}

// TACChange compares the rate of a month with that of the month before, like with
// like (RULES 2): stated with stated, else computed with computed; synthetic with
// synthetic only where no real rate of any month is known. ok is false where no
// kind has both months, and where the difference is none: below half of the last
// decimal that the coarser of the two files publishes. Computed rates are rounded
// by nobody; theirs is none where it is 0 to twelve decimals. A month is computed
// once it is over at the cutoff.
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
			difference := exact(is - was)
			return TACChange{kind, was, is}, difference.Abs(difference).Cmp(big.NewRat(5, 10_000_000_000_000)) >= 0
		}
		was, known := m.stated[statedMonth{series, kind, iso(before)}]
		is, knownToo := m.stated[statedMonth{series, kind, iso(after)}]
		if !known || !knownToo {
			continue
		}
		half := big.NewRat(1, 2)
		for range min(m.decimals[was.file], m.decimals[is.file]) {
			half.Quo(half, big.NewRat(10, 1))
		}
		difference := new(big.Rat).Sub(is.percent, was.percent)
		different := difference.Sign() != 0 && difference.Abs(difference).Cmp(half) >= 0
		return TACChange{kind, fraction(was.percent), fraction(is.percent)}, different
	}
	return TACChange{}, false
}

// hasRealTAC tells whether a real rate of any month is known.
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

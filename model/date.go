package model

import (
	"cmp"
	"fmt"
	"time"
)

// Date is a calendar day without a time or a zone, as the market publishes it. The zero
// value is 1970-01-01; no source uses that day, so it means "no date".
type Date struct{ days int32 }

const secondsPerDay = 24 * 60 * 60

// NewDate returns the day. Values out of range normalise as in time.Date.
func NewDate(year int, month time.Month, day int) Date {
	return DateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// DateOf returns the calendar day of t in t's own location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)}
}

// ParseDate reads YYYY-MM-DD strictly. It fails for days that do not exist, for years
// outside 1900 to 2100, and for 1970-01-01, which means "no date".
func ParseDate(text string) (Date, error) { return parseDate(time.DateOnly, text) }

// ParseCompactDate reads YYYYMMDD, the form of the regulator's files. It fails as
// ParseDate does.
func ParseCompactDate(text string) (Date, error) { return parseDate("20060102", text) }

// ParseSlashDate reads DD/MM/YYYY, the form of the register. It fails as ParseDate does.
func ParseSlashDate(text string) (Date, error) { return parseDate("02/01/2006", text) }

// A date outside these years is taken for a typing error. The oldest fund of the
// register was approved in 1959, so its dates need a ClickHouse Date32 (from 1900) and
// not a Date (from 1970).
const firstYear, lastYear = 1900, 2100

func parseDate(layout, text string) (Date, error) {
	t, err := time.Parse(layout, text)
	if err != nil || len(text) != len(layout) {
		return Date{}, fmt.Errorf("%q is not a calendar date in the form %s", text, layoutName[layout])
	}
	if t.Year() < firstYear || t.Year() > lastYear || t.Unix() == 0 {
		return Date{}, fmt.Errorf(
			"date %q must be in the years %d to %d, and not 1970-01-01, which computers write for an empty date", text,
			firstYear, lastYear)
	}
	return DateOf(t), nil
}

var layoutName = map[string]string{time.DateOnly: "YYYY-MM-DD", "20060102": "YYYYMMDD", "02/01/2006": "DD/MM/YYYY"}

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time { return time.Unix(int64(d.days)*secondsPerDay, 0).UTC() }

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.Time().Format(time.DateOnly) }

// IsZero reports whether d means "no date".
func (d Date) IsZero() bool { return d.days == 0 }

// Compare returns -1 if d is before other, 0 if they are equal, and +1 if d is after
// other.
func (d Date) Compare(other Date) int { return cmp.Compare(d.days, other.days) }

// AddDays returns the day n days later; n may be negative.
func (d Date) AddDays(n int) Date { return Date{d.days + int32(n)} }

// DaysSince returns how many days d is after other; it is negative if d is before other.
func (d Date) DaysSince(other Date) int { return int(d.days - other.days) }

// MarshalText returns YYYY-MM-DD, or empty text for the zero date.
func (d Date) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return []byte{}, nil
	}
	return d.Time().AppendFormat(nil, time.DateOnly), nil
}

// UnmarshalText reads what MarshalText writes.
func (d *Date) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Date{}
		return nil
	}
	parsed, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

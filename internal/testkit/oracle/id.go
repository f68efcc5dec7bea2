package oracle

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// CheckDigit returns the mod 11 check digit of a RUN or RUT: 0 to 9 or K.
func CheckDigit(number int) string {
	sum, weight := 0, 2
	for ; number > 0; number /= 10 {
		sum += number % 10 * weight
		if weight++; weight == 8 {
			weight = 2
		}
	}
	switch digit := 11 - sum%11; digit {
	case 11:
		return "0"
	case 10:
		return "K"
	default:
		return strconv.Itoa(digit)
	}
}

// ParseRUN reads a RUN with or without its check digit ("8011", "8.011-K"). The digit follows a
// hyphen. It fails if the digit is wrong or the text is not a RUN.
func ParseRUN(text string) (int, error) {
	clean := strings.NewReplacer(".", "", " ", "").Replace(text)
	digits, digit, hasDigit := strings.Cut(clean, "-")
	run, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || run == 0 {
		return 0, fmt.Errorf("read RUN %q: write it as 8011 or 8011-K", text)
	}
	if want := CheckDigit(int(run)); hasDigit && strings.ToUpper(digit) != want {
		return 0, fmt.Errorf("read RUN %q: its check digit is %s", text, want)
	}
	return int(run), nil
}

// FundKey returns the key of a fund, as in fund:10058-7.
func FundKey(run int) string { return "fund:" + withDigit(run) }

// ManagerKey returns the key of a manager, as in agf:91999000-7.
func ManagerKey(rut int) string { return "agf:" + withDigit(rut) }

// NameKey returns the key of a manager name in the register of investment funds, which contains
// no RUT: agf:BICEINVERSIONESAGFSA. It keeps the letters, in upper case without accents, and
// the digits of the name.
func NameKey(name string) string {
	kept := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, norm.NFD.String(strings.ToUpper(name)))
	return "agf:" + kept
}

// ManagerIDs returns the ids of managers by key: one for each RUT, and one for each name that the
// register of investment funds has ever contained, even if a manager with a RUT has the same
// name. So ids depend only on the contents of files and not on their order.
func ManagerIDs(ruts []int, names []string) map[string]uint32 {
	keys := make([]string, 0, len(ruts)+len(names))
	for _, rut := range ruts {
		keys = append(keys, ManagerKey(rut))
	}
	for _, name := range names {
		keys = append(keys, NameKey(name))
	}
	slices.Sort(keys)
	return Assign(keys...)
}

// SeriesKey returns the key of a series, as in series:8011-K:B.
func SeriesKey(run int, serie string) string {
	return "series:" + withDigit(run) + ":" + SerieName(serie)
}

func withDigit(number int) string { return strconv.Itoa(number) + "-" + CheckDigit(number) }

// ID returns the id of a key if no other key has it: the CRC-32/IEEE of its UTF-8 text (RULES
// 12).
func ID(key string) uint32 { return crc32.ChecksumIEEE([]byte(key)) }

// Assign returns ids to keys in the given order. If the id of a key is taken, the key is hashed
// with #1, #2 and so on appended.
func Assign(keys ...string) map[string]uint32 {
	ids, taken := map[string]uint32{}, map[uint32]bool{}
	for _, key := range keys {
		if _, known := ids[key]; known {
			continue
		}
		id := ID(key)
		for n := 1; taken[id]; n++ {
			id = ID(key + "#" + strconv.Itoa(n))
		}
		ids[key], taken[id] = id, true
	}
	return ids
}

package oracle

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIDIsTheCRC32OfTheKey(t *testing.T) {
	for key, want := range map[string]uint32{
		"123456789":    3421780262, // the check value of CRC-32/IEEE
		FundKey(10058): 926287998,  // the id that clients of the service know
	} {
		if got := ID(key); got != want {
			t.Errorf("%s: %d, want %d", key, got, want)
		}
	}
}

func TestKeysCarryTheCheckDigit(t *testing.T) {
	for got, want := range map[string]string{
		FundKey(10058):                      "fund:10058-7",
		FundKey(8011):                       "fund:8011-K",
		ManagerKey(76543210):                "agf:76543210-3",
		SeriesKey(8011, " col-z  apv/apvc"): "series:8011-K:COL-Z APV/APVC",
		SeriesKey(8011, ""):                 "series:8011-K:UNICA",
		NameKey("Ñandú & Cía. 2 S.A."):      "agf:NANDUCIA2SA",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestANameHasAnIDWhetherOrNotAManagerWithARUTHasThatName(t *testing.T) {
	want := map[string]uint32{
		"agf:76543210-3": ID("agf:76543210-3"),
		"agf:UNOSA":      ID("agf:UNOSA"),
		"agf:DOSSA":      ID("agf:DOSSA"),
	}
	for _, names := range [][]string{{"UNO S.A.", "Dos S.A."}, {"dos s.a.", "Uno, S.A.", "UNO S.A."}} {
		if diff := cmp.Diff(want, ManagerIDs([]int{76543210}, names)); diff != "" {
			t.Error(diff)
		}
	}
}

// Computed by hand: 8011 is 1·2+1·3+0·4+8·5 = 45, 45 mod 11 is 1, 11-1 is K. 76543210 is
// 0·2+1·3+2·4+3·5+4·6+5·7+6·2+7·3 = 118, 118 mod 11 is 8, 11-8 is 3.
func TestCheckDigitIsMod11(t *testing.T) {
	for number, want := range map[int]string{8011: "K", 10058: "7", 76543210: "3", 6: "K", 0: "0", 11111111: "1"} {
		if got := CheckDigit(number); got != want {
			t.Errorf("%d: %s, want %s", number, got, want)
		}
	}
}

func TestRUNReadsWithAndWithoutItsCheckDigit(t *testing.T) {
	for _, text := range []string{"8011", "8011-K", "8011-k", "8.011-K", " 8 011 "} {
		if got, err := ParseRUN(text); err != nil || got != 8011 {
			t.Errorf("%q: %d %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", "8011-", "8011-1", "8011-KK", "8011K", "-8011", "+8011", "0", "0-0",
		"99999999999"} {
		if got, err := ParseRUN(text); err == nil {
			t.Errorf("%q: read as %d", text, got)
		}
	}
}

// The test needs two keys with the same id. Among some 77,000 keys there is such a pair with a
// probability of one half, so among 400,000 there almost certainly is one. The pair is always
// the same.
func TestANewcomerWhoseIDIsTakenHashesItsKeyAgain(t *testing.T) {
	seen := map[uint32]string{}
	for run := 1; run <= 400000; run++ {
		key := FundKey(run)
		first, taken := seen[ID(key)]
		seen[ID(key)] = key
		if !taken {
			continue
		}
		ids := Assign(first, key, first)
		if ids[first] != ID(first) || ids[key] != ID(key+"#1") {
			t.Errorf("%s and %s: %v", first, key, ids)
		}
		if ids := Assign(key, first); ids[key] != ID(key) || ids[first] != ID(first+"#1") {
			t.Errorf("the other way about, %s and %s: %v", key, first, ids)
		}
		return
	}
	t.Error(fmt.Sprint("no pair among ", len(seen)))
}

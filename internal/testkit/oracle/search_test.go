package oracle_test

import (
	"testing"

	"cuota/internal/testkit/oracle"
)

func TestATextFindsASeriesByPartsWordsRUNAndID(t *testing.T) {
	for _, c := range []struct {
		text, fund, run, serie string
		found                  bool
	}{
		{"renta fija", "FONDO RENTA FIJA", "9278-9", "A", true},
		{"fija renta", "FONDO RENTA FIJA", "9278-9", "A", true},
		{"9278 a", "FONDO RENTA FIJA", "9278-9", "A", true},
		{"9278 a", "FONDO RENTA FIJA", "9278-9", "B", false}, // a short word is a whole one
		{"9278–a", "FONDO RENTA FIJA", "9278-9", "A", true},
		{"0009.278-9-A", "FONDO RENTA FIJA", "9278-9", "A", true},
		{"9278-8", "FONDO RENTA FIJA", "9278-9", "A", false}, // a wrong check digit
		{"77", "FONDO RENTA FIJA", "9278-9", "A", true},      // the id
		{" ", "FONDO RENTA FIJA", "9278-9", "A", false},
	} {
		if got := oracle.Finds(c.text, c.fund, c.run, c.serie, "77"); got != c.found {
			t.Errorf("%q finds %s %s %s: %v, want %v", c.text, c.fund, c.run, c.serie, got, c.found)
		}
	}
}

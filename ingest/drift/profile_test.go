package drift

import "testing"

func TestANumberInAnyFormHasItsDigitsAndDecimals(t *testing.T) {
	for text, want := range map[string]numberShape{
		"0":            {zero: true},
		".0003":        {decimals: 4},
		"1421.0319":    {digits: 4, decimals: 4},
		"1421.5000":    {digits: 4, decimals: 1},
		"-12":          {digits: 2, negative: true},
		"1.234.567,89": {digits: 7, decimals: 2, comma: true},
		"1.234.567":    {digits: 7},
		"998,765":      {digits: 3, decimals: 3, comma: true},
		"4.8e-05":      {digits: 1, decimals: 1},
		"0.000":        {zero: true},
	} {
		if got, is := shapeOf(text); !is || got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, is, want)
		}
	}
	for _, text := range []string{"$$", "-", ".", "12.", "A1", "1e", "e5", "20/07/2025", "1.2e3.4", "--5", "5-"} {
		if got, is := shapeOf(text); is {
			t.Errorf("%s is taken for a number: %+v", text, got)
		}
	}
}

package backtest

import (
	"strings"
	"testing"
)

func TestAnErrorOfAStrategyNamesNoTypeOfTheProgram(t *testing.T) {
	for _, text := range []string{`[1]`, `"x"`, `1`, `{"entry_lag": "x"}`, `{"dates": [1]}`, `{"filter": 1}`,
		`{"from": {}}`, `{"nothing": 1}`, `{`} {
		_, err := ParseJSON(strings.NewReader(text))
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		for _, of := range []string{"backtest.", "Go ", "struct", "float64", "int64", "json:", "model."} {
			if strings.Contains(err.Error(), of) {
				t.Errorf("%s: %q has %q", text, err, of)
			}
		}
	}
	for _, text := range []string{"entry_lag = 'x'", "dates = 1", "filter = 1", "from = []", "nothing = 1"} {
		_, err := ParseTOML(strings.NewReader(text))
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		for _, of := range []string{"backtest.", "Go ", "struct", "float64", "int64", "model."} {
			if strings.Contains(err.Error(), of) {
				t.Errorf("%s: %q has %q", text, err, of)
			}
		}
	}
}

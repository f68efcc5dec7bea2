package backtest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cuota/backtest"
	"cuota/model"
)

const wholeStrategy = `
name = "cheapest money market"
from = 2016-01-31 # with or without quotes
to = "2025-06-30"
sort = "tac"
top = 3
[filter]
category = "money_market"
tac_max = 0.02
`

func TestAStrategyIsCompletedWithItsDefaults(t *testing.T) {
	s, err := backtest.ParseTOML(strings.NewReader(wholeStrategy))
	if err != nil {
		t.Fatal(err)
	}
	if s.Rebalance != "monthly" || s.Known != "then" || s.Universe != "then" || s.Currency != "PESOS" ||
		s.Weights != "equal" || s.Order != "asc" ||
		*s.EntryLag != 1 || *s.ExitLag != 1 || *s.RedemptionDays != 10 || !*s.OnePerFund {
		t.Errorf("the defaults are %+v", s)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := backtest.ParseJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("its JSON is refused: %v", err)
	}
	if twice, _ := json.Marshal(again); string(twice) != string(text) {
		t.Errorf("its JSON is read as\n%s, want\n%s", twice, text)
	}
}

func TestAStrategyThatBreaksARuleIsRefusedByTheNameOfItsField(t *testing.T) {
	for field, change := range map[string][2]string{
		"name":                   {`name = "cheapest money market"`, ``},
		"sort":                   {`sort = "tac"`, `sort = "luck"`},
		"top":                    {`top = 3`, ``},
		"quantile":               {`top = 3`, "top = 3\nquantile = 0.1"},
		"to":                     {`2025-06-30`, `2015-06-30`},
		"known":                  {`top = 3`, "top = 3\nknown = \"tomorrow\""},
		"dates":                  {`top = 3`, "top = 3\nrebalance = \"dates\""},
		"redemption_days":        {`top = 3`, "top = 3\nredemption_days = 20"},
		"entry_lag":              {`top = 3`, "top = 3\nentry_lag = -1"},
		"filter.tac_max":         {`tac_max = 0.02`, `tac_max = nan`},
		"filter.luck":            {`tac_max = 0.02`, `luck = 1`},
		"filter.cmf_spheres_min": {`tac_max = 0.02`, "cmf_spheres_min = 4\ncmf_spheres_max = 2"},
		"filter.currency":        {`tac_max = 0.02`, `currency = "DOLAR"`},
		"benchmark":              {`top = 3`, "top = 3\nbenchmark = \"family:Accionario\""},
		"risk_free":              {`top = 3`, "top = 3\nrisk_free = \"rate:x\""},
		"weights":                {`top = 3`, "top = 3\nweights = \"luck\""},
		"costs.buy":              {`[filter]`, "[costs]\nbuy = 0.9\n[filter]"},
		"":                       {`top = 3`, `top = `},
	} {
		t.Run(field, func(t *testing.T) {
			text := strings.Replace(wholeStrategy, change[0], change[1], 1)
			if text == wholeStrategy {
				t.Fatal("the test changes nothing")
			}
			_, err := backtest.ParseTOML(strings.NewReader(text))
			var wrong *backtest.InvalidStrategy
			if !errors.As(err, &wrong) || wrong.Field != field {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestLagsThatAreTooLongAreRefusedByTheNameOfTheOneThatIs(t *testing.T) {
	for field, lags := range map[string][3]int{ // entry, exit, redemption; the shortest month has 28 days
		"": {20, 3, 10}, "entry_lag": {21, 1, 10}, "exit_lag": {1, 14, 0}, "redemption_days": {1, 3, 11},
	} {
		_, err := backtest.Strategy{
			Name: "lags", From: model.NewDate(2020, 1, 1), To: model.NewDate(2024, 12, 31), Sort: "1y", Top: 5,
			EntryLag: &lags[0], ExitLag: &lags[1], RedemptionDays: &lags[2],
		}.Complete()
		var wrong *backtest.InvalidStrategy
		if field == "" && err != nil || field != "" && (!errors.As(err, &wrong) || wrong.Field != field) {
			t.Errorf("%v: the error is %v, want one of %q", lags, err, field)
		}
	}
}

func TestWrongJSONIsRefusedByTheNameOfItsField(t *testing.T) {
	const right = `{"name": "x", "from": "2020-01-31", "to": "2024-12-31", "sort": "tac", "top": 3}`
	if _, err := backtest.ParseJSON(strings.NewReader(right + " \n")); err != nil {
		t.Fatal(err)
	}
	for text, field := range map[string]string{
		strings.Replace(right, "3}", `"three"}`, 1):                         "top",
		strings.Replace(right, "3}", `3, "filter": {"tac_max": "2 %"}}`, 1): "filter.tac_max",
		right + "}":   "",
		right + "]":   "",
		right + right: "",
		"[]":          "",
	} {
		_, err := backtest.ParseJSON(strings.NewReader(text))
		var wrong *backtest.InvalidStrategy
		if !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: the error is %v, want one of %q", text, err, field)
		}
	}
}

func FuzzAStrategyIsReadOrRefusedButNeverPanics(f *testing.F) {
	f.Add(wholeStrategy)
	f.Add(`name = 1`)
	f.Add("dates = [\"2020-01-31\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := backtest.ParseTOML(strings.NewReader(text))
		if err != nil {
			return
		}
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("an accepted strategy has no JSON: %v", err)
		}
		if _, err := backtest.ParseJSON(strings.NewReader(string(encoded))); err != nil {
			t.Fatalf("the JSON of an accepted strategy is refused: %v", err)
		}
	})
}

package backtest_test

import (
	"reflect"
	"testing"

	"cuota/backtest"
	"cuota/model"
)

func TestRandomStrategiesAreValidRepeatableAndDiffer(t *testing.T) {
	base, err := backtest.Strategy{
		Name: "base", From: model.NewDate(2020, 1, 1), To: model.NewDate(2024, 12, 31), Sort: "1y", Top: 5,
		Costs: backtest.Costs{Buy: 0.01},
	}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := backtest.Random(base, 7, 300)
	if err != nil {
		t.Fatal(err)
	}
	again, err := backtest.Random(base, 7, 100)
	if err != nil || !reflect.DeepEqual(drawn[:100], again) {
		t.Errorf("the same seed gives others: %v", err)
	}
	seen := map[string]map[string]bool{"sort": {}, "order": {}, "within": {}, "weights": {}, "category": {},
		"rebalance": {}, "name": {}}
	for _, s := range drawn {
		if complete, err := s.Complete(); err != nil || !reflect.DeepEqual(complete, s) {
			t.Errorf("%+v is not complete: %v", s, err)
		}
		if s.From != base.From || s.To != base.To || s.Costs != base.Costs || (s.Top > 0) == (s.Quantile > 0) {
			t.Errorf("%+v", s)
		}
		for what, value := range map[string]string{"sort": s.Sort, "order": s.Order, "within": s.Within,
			"weights": s.Weights, "category": s.Filter.Category, "rebalance": s.Rebalance, "name": s.Name} {
			seen[what][value] = true
		}
	}
	for what, least := range map[string]int{"sort": 14, "order": 2, "within": 3, "weights": 3, "category": 5,
		"rebalance": 2, "name": 300} {
		if len(seen[what]) < least {
			t.Errorf("%s has %d values: %v", what, len(seen[what]), seen[what])
		}
	}
	if other, err := backtest.Random(base, 8, 100); err != nil || reflect.DeepEqual(other, again) {
		t.Errorf("another seed gives the same strategies: %v", err)
	}
}

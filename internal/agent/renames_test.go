package agent_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
)

func TestAnEarlierIDGivesTheFiguresOfTheSeries(t *testing.T) {
	t.Parallel()
	market := demotest.New(t)
	for _, source := range demotest.RenamedDemo(t, false) {
		market.Ingest(t, source.Dataset, source.Path, source.Published)
	}
	market.IngestRenames(t, demotest.Renames, demotest.Clock.AddDate(0, 0, -3))
	market.Build(t)
	session := newService(t, market).inMemory(t)
	id := func(serie string) string { return fmt.Sprint(oracle.ID(oracle.SeriesKey(9809, serie))) }
	for _, more := range []map[string]any{{"window": []string{"1y"}, "figures": []string{"return", "tac"}},
		{"from": "2024-01-02", "to": "2025-06-30"}} {
		var answers []string
		for _, serie := range []string{"B", "B MEDIA", "B-VIEJA"} {
			arguments := map[string]any{"series": []string{id(serie)}}
			maps.Copy(arguments, more)
			text, failed := call(t, session, "ask", arguments)
			if failed || !strings.Contains(text, `"value":0.`) {
				t.Errorf("%s: %s", serie, text)
			}
			answers = append(answers, text)
		}
		if answers[1] != answers[0] || answers[2] != answers[0] {
			t.Errorf("the ids of one series have different answers: %s", strings.Join(answers, "\n"))
		}
		twice := map[string]any{"series": []string{id("B"), id("B-VIEJA")}}
		maps.Copy(twice, more)
		if text, failed := call(t, session, "ask", twice); !failed || !strings.Contains(text, "two ids name the series") {
			t.Errorf("two ids of one series: %s", text)
		}
	}
}

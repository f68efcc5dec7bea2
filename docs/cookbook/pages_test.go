package cookbook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/charttest"
)

// generated is the line of a page below which the test writes it.
const generated = "<!-- The rest of this page is generated: go test ./docs/cookbook -update -->\n"

// charts are the pictures of some answers.
var charts = map[string]func(*testing.T, table) charttest.Chart{
	"02_concentration": func(t *testing.T, a table) charttest.Chart {
		return charttest.Chart{
			Title: "Concentration among managers", Unit: "Herfindahl-Hirschman index, 10,000 is one manager alone",
			Labels: a.column(t, "category"), Sets: []charttest.Set{{Name: "index", Values: a.numbers(t, "hhi")}},
		}
	},
	"07_persistence_of_the_first_quartile": func(t *testing.T, a table) charttest.Chart {
		c := charttest.Chart{Title: "Where the series of each quartile ended a year later",
			Unit: "% of the series of the quartile; 25 is chance"}
		for _, quartile := range a.column(t, "quartile") {
			c.Labels = append(c.Labels, "quartile "+quartile)
		}
		for i, name := range []string{"first", "second", "third", "fourth"} {
			c.Sets = append(c.Sets, charttest.Set{Name: fmt.Sprintf("then quartile %d", i+1),
				Values: a.numbers(t, "then_"+name+"_percent")})
		}
		return c
	},
	"08_cost_against_return": func(t *testing.T, a table) charttest.Chart {
		c := charttest.Chart{Title: "Cost, and return above the mean of the family", Unit: "% a year, over three years"}
		for _, quarter := range a.column(t, "quarter") {
			c.Labels = append(c.Labels, "quarter "+quarter+" of cost")
		}
		c.Sets = []charttest.Set{{Name: "cost rate", Values: a.numbers(t, "tac_percent")},
			{Name: "return above family", Values: a.numbers(t, "return_above_family_percent")}}
		return c
	},
	"09_money_market_above_uf": func(t *testing.T, a table) charttest.Chart {
		return charttest.Chart{
			Title: "Money market in pesos and inflation", Unit: "% of the calendar year", Labels: a.column(t, "year"),
			Sets: []charttest.Set{{Name: "growth of the UF", Values: a.numbers(t, "uf_percent")},
				{Name: "lowest", Values: a.numbers(t, "lowest_percent")},
				{Name: "median", Values: a.numbers(t, "median_percent")},
				{Name: "highest", Values: a.numbers(t, "highest_percent")}},
		}
	},
	"34_cost_over_the_years": func(t *testing.T, a table) charttest.Chart {
		c := charttest.Chart{Kind: charttest.Lines, Title: "Cost of the series of RUN 9809-4",
			Unit: "computed cost rate, % a year"}
		years, series, rates := a.column(t, "year"), a.column(t, "serie"), a.numbers(t, "tac_percent")
		c.Labels = slices.Compact(slices.Sorted(slices.Values(years)))
		for i, name := range series {
			if i == 0 || name != series[i-1] {
				c.Sets = append(c.Sets, charttest.Set{Name: name, Values: gaps(len(c.Labels))})
			}
			c.Sets[len(c.Sets)-1].Values[slices.Index(c.Labels, years[i])] = rates[i]
		}
		return c
	},
}

// shownRows is how many rows of an answer the page shows. The file has all.
const shownRows = 20

// pages writes or compares the pages and pictures that are made of questions and answers.
func pages(t *testing.T, questions []question, answers map[string]table, markets map[string]database) {
	var page strings.Builder
	page.WriteString("\n## The questions\n\n| | question | market |\n|---|---|---|\n")
	for _, q := range questions {
		fmt.Fprintf(&page, "| %s | [%s](#%s) | %s |\n", q.name[:2], q.title, anchor(q), q.market)
	}
	drawn := 0
	for _, q := range questions {
		answer := answers[q.name]
		fmt.Fprintf(&page, "\n<a id=\"%s\"></a>\n\n### %s. %s\n\n%s\n\n*Caveats:* %s\n\n", anchor(q), q.name[:2],
			q.title, q.answer, q.caveats)
		statement := q.sql[strings.Index(q.sql, "\n-- Market: ")+1:]
		_, statement, _ = strings.Cut(statement, "\n")
		fmt.Fprintf(&page, "[%[1]s.sql](%[1]s.sql), on the %[2]s market:\n\n```sql\n%[3]s```\n\n", q.name, q.market,
			statement)
		if draw, found := charts[q.name]; found {
			drawn++
			picture, err := draw(t, answer).SVG()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("results", q.name+".svg"), picture)
			fmt.Fprintf(&page, "![%s](results/%s.svg)\n\n", q.title, q.name)
		}
		page.WriteString(answer.markdown(shownRows))
		if more := len(answer.rows) - shownRows; more > 0 {
			fmt.Fprintf(&page, "\n%d more rows are in [results/%[2]s.tsv](results/%[2]s.tsv).\n", more, q.name)
		}
	}
	if drawn != len(charts) {
		t.Errorf("%d charts of %d belong to a question", drawn, len(charts))
	}
	below(t, "README.md", page.String())
	below(t, "../reconciliation.md", reconciliationPage(t, markets))
	leftovers(t, questions)
}

func anchor(q question) string { return "question-" + q.name[:2] }

// below compares or writes the generated part of a page. The part above it is written by hand.
func below(t *testing.T, path, text string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(page), generated)
	if !found {
		t.Fatalf("%s lacks the line %q", path, generated)
	}
	golden(t, path, head+generated+text)
}

// leftovers finds results of questions that are no longer there.
func leftovers(t *testing.T, questions []question) {
	t.Helper()
	entries, err := os.ReadDir("results")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(entry.Name(), ".svg"), ".tsv")
		_, drawn := charts[name]
		if !slices.ContainsFunc(questions, func(q question) bool {
			return q.name == name
		}) || strings.HasSuffix(entry.Name(), ".svg") && !drawn {
			t.Errorf("results/%s belongs to no question: delete it", entry.Name())
		}
	}
}

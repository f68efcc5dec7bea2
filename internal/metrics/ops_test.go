package metrics

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v4"
)

// checkExpression refuses a PromQL expression that is not well-formed, that uses an unknown
// metric, or that selects by a label which the metric does not have.
func checkExpression(text string) error {
	// Grafana replaces this by an interval.
	text = strings.ReplaceAll(text, "$__rate_interval", "5m")
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	var problems []error
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		if selector, is := node.(*parser.VectorSelector); is {
			problems = append(problems, checkSelector(selector))
		}
		return nil
	})
	if len(problems) == 0 {
		problems = append(problems, errors.New("it names no metric"))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

func checkSelector(selector *parser.VectorSelector) error {
	scraped := []string{"job", "instance"} // Prometheus adds these
	if selector.Name == "up" || strings.HasPrefix(selector.Name, "process_") ||
		strings.HasPrefix(selector.Name, "go_") {
		return nil
	}
	for _, d := range definitions {
		allowed := slices.Concat(d.labels, scraped)
		switch selector.Name {
		case d.name:
			if d.kind == histogram {
				return fmt.Errorf("%s is a histogram: use its _bucket, _sum or _count", d.name)
			}
		case d.name + "_bucket":
			allowed = append(allowed, "le")
		case d.name + "_sum", d.name + "_count":
		default:
			continue
		}
		if selector.Name != d.name && d.kind != histogram {
			continue
		}
		for _, matcher := range selector.LabelMatchers {
			if matcher.Name != model.MetricNameLabel && !slices.Contains(allowed, matcher.Name) {
				return fmt.Errorf("%s has no label %s", d.name, matcher.Name)
			}
		}
		return nil
	}
	return fmt.Errorf("there is no metric %s", selector.Name)
}

func TestAnExpressionOverAnUnknownMetricIsRefused(t *testing.T) {
	for _, wrong := range []string{
		"cuota_no_such_metric > 0", "cuota_http_request_seconds > 0", "cuota_build_failing{route=\"/health\"}",
		"cuota_batch_age_seconds_count", "sum(cuota_build_failing", "1 + 1",
	} {
		if err := checkExpression(wrong); err == nil {
			t.Errorf("%s passes", wrong)
		}
	}
	if err := checkExpression(`rate(cuota_http_request_seconds_count{route="/health"}[5m])`); err != nil {
		t.Error(err)
	}
}

func TestTheDashboardNamesOnlyMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../ops/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			shown++
			if err := checkExpression(target.Expr); err != nil {
				t.Errorf("panel %s: %v", panel.Title, err)
			}
		}
	}
	if shown < 20 {
		t.Errorf("only %d expressions found: the search is broken", shown)
	}
}

type alertRules struct {
	Groups []struct {
		Rules []struct {
			Alert       string
			Expr        string
			For         string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

func TestEveryAlertNamesExistingMetricsAndAHeading(t *testing.T) {
	text, err := os.ReadFile("../../ops/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rules alertRules
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{} // text below each heading, up to the next heading
	parts := regexp.MustCompile(`(?m)^#{2,3} (.+)$`).FindAllStringSubmatchIndex(string(page), -1)
	for i, at := range parts {
		end := len(page)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		sections[string(page[at[2]:at[3]])] = strings.TrimSpace(string(page[at[1]:end]))
	}
	found := 0
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			found++
			if err := checkExpression(rule.Expr); err != nil {
				t.Errorf("%s: %v", rule.Alert, err)
			}
			if rule.Annotations["summary"] == "" ||
				!slices.Contains([]string{"page", "ticket"}, rule.Labels["severity"]) {
				t.Errorf("%s has no summary, or a severity that is neither page nor ticket", rule.Alert)
			}
			if _, there := sections[rule.Annotations["read"]]; !there {
				t.Errorf("%s refers to %q, which is no heading of docs/operations.md", rule.Alert,
					rule.Annotations["read"])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d alerts found: the search is broken", found)
	}
}

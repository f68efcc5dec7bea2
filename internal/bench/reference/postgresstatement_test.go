package reference

import (
	"regexp"
	"strings"
	"testing"

	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
)

func TestPostgreSQLIsAskedForTheFiltersInUseAlone(t *testing.T) {
	p := &PostgresScreener{columns: []string{"fund", "tac"}}
	for name, c := range map[string]struct {
		asked  map[string]any
		want   string
		values []any
	}{
		"none": {
			map[string]any{"searched": false, "cmf_spheres_min": nil, "sort": "id", "order": "asc", "limit": int64(50), "offset": int64(0)},
			"SELECT (SELECT count(*) FROM screener), fund, tac FROM screener ORDER BY series_id NULLS LAST LIMIT $1 OFFSET $2",
			[]any{int64(50), int64(0)},
		},
		"what a search found, and a text with signs that LIKE would take for its own": {
			map[string]any{"searched": true, "found": []uint32{7}, "administrator": `É_%\.`, "currency": "PESOS", "cmf_spheres_max": int64(4), "sort": "1y", "order": "desc", "limit": int64(1), "offset": int64(2)},
			"SELECT (SELECT count(*) FROM screener WHERE series_id = ANY($1) AND folded_manager LIKE $2 AND currency = $3 AND spheres <= $4), fund, tac" +
				" FROM screener WHERE series_id = ANY($1) AND folded_manager LIKE $2 AND currency = $3 AND spheres <= $4" +
				" ORDER BY return_1y DESC NULLS LAST, series_id LIMIT $5 OFFSET $6",
			[]any{[]uint32{7}, `%e\_\%\\.%`, "PESOS", int64(4), int64(1), int64(2)},
		},
	} {
		statement, values := p.statement(c.asked)
		if diff := cmp.Diff(c.want, statement); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(c.values, values); diff != "" {
			t.Errorf("%s: values: %s", name, diff)
		}
	}
}

// A filter that PostgreSQL does not compare would give other rows than the product's.
func TestPostgreSQLHasTheConditionOfEveryFilter(t *testing.T) {
	_, where, _ := strings.Cut(sql.Query("market"), "WHERE batch =")
	where, _, _ = strings.Cut(where, "AS found")
	tried := map[string]bool{"batch": true, "series": true}
	for _, found := range regexp.MustCompile(`{(\w+):(String|Nullable|Bool)`).FindAllStringSubmatch(where, -1) {
		name := found[1]
		if tried[name] {
			continue
		}
		tried[name] = true
		var value any = int64(3)
		switch found[2] {
		case "String":
			value = "Ñ"
		case "Bool":
			value = true
		}
		if condition, values := conditions(map[string]any{name: value}); condition == "" || len(values) == 0 {
			t.Errorf("there is no condition for %s", name)
		}
	}
	if len(tried) < 13 {
		t.Errorf("only %d parameters were tried", len(tried))
	}
	condition, values := conditions(map[string]any{"investor_class": "APV Ñ", "category": "BALANCED", "tac_kind": "stated", "cmf_spheres_min": int64(2)})
	if want := " WHERE lower_class = $1 AND lower_category = $2 AND tac_kind = $3 AND spheres >= $4"; condition != want {
		t.Errorf("%s, want %s", condition, want)
	}
	if diff := cmp.Diff([]any{"apv ñ", "balanced", "stated", int64(2)}, values); diff != "" {
		t.Error(diff)
	}
}

func TestTheRowsAreLoadedWithEveryFilterAbsent(t *testing.T) {
	given := []any{clickhouse.Named("batch", 1), clickhouse.Named("series", 1), clickhouse.Named("sort", "id"), clickhouse.Named("order", "asc"), clickhouse.Named("limit", 1), clickhouse.Named("offset", 0)}
	absent := map[string]any{}
	for _, arg := range withoutFilters(given) {
		named := arg.(driver.NamedValue)
		absent[named.Name] = named.Value
	}
	want := map[string]any{"searched": false, "fund_family": "", "investor_class": "", "currency": "", "category": "", "administrator": "", "cmf_family": "", "cmf_investor_type": "", "tac_kind": "", "cmf_spheres_min": nil, "cmf_spheres_max": nil}
	for name, value := range want {
		if got, is := absent[name]; !is || got != value {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
	if absent["batch"] != nil || absent["limit"] != nil {
		t.Errorf("given arguments were given again: %v", absent)
	}
}

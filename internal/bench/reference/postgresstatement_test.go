package reference

import (
	"testing"

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
			map[string]any{"q": "", "cmf_spheres_min": nil, "sort": "id", "order": "asc", "limit": int64(50), "offset": int64(0)},
			"SELECT (SELECT count(*) FROM screener), fund, tac FROM screener ORDER BY series_id NULLS LAST LIMIT $1 OFFSET $2",
			[]any{int64(50), int64(0)},
		},
		"a text with signs that LIKE would take for its own": {
			map[string]any{"q": `É_%\.`, "currency": "PESOS", "cmf_spheres_max": int64(4), "sort": "1y", "order": "desc", "limit": int64(1), "offset": int64(2)},
			"SELECT (SELECT count(*) FROM screener WHERE (folded_fund LIKE $1 OR lower_run LIKE $2 OR plain_run LIKE $3) AND currency = $4 AND spheres <= $5), fund, tac" +
				" FROM screener WHERE (folded_fund LIKE $1 OR lower_run LIKE $2 OR plain_run LIKE $3) AND currency = $4 AND spheres <= $5" +
				" ORDER BY return_1y DESC NULLS LAST, series_id LIMIT $6 OFFSET $7",
			[]any{`%e\_\%\\.%`, `%é\_\%\\%`, `%é\_\%\\%`, "PESOS", int64(4), int64(1), int64(2)},
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

package projector_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/sql"
)

// peoplesView is a view for people, as its file states it.
type peoplesView struct {
	name, comment, key string
	parameters         []string
	columns            []peoplesColumn
}

type peoplesColumn struct{ name, kind, comment string }

var (
	viewComment   = regexp.MustCompile(`COMMENT '((?:[^']|'')*)'\s*$`)
	viewKey       = regexp.MustCompile(` Key: (\w+(?:, \w+)*)\.$`)
	viewColumn    = regexp.MustCompile(`(?m)^    (\w+) +(\S.*?) +COMMENT '((?:[^']|'')*)',?$`)
	viewParameter = regexp.MustCompile(`\{(\w+):`)
)

// peoplesViews reads the views from their statements, so that a test can compare them with what
// the engine shows.
func peoplesViews(t *testing.T) (views []peoplesView) {
	t.Helper()
	scripts, err := sql.PeoplesViews("funds")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		view := peoplesView{name: script.Name}
		if found := viewComment.FindStringSubmatch(script.Text); found != nil {
			view.comment = strings.ReplaceAll(found[1], "''", "'")
		}
		if found := viewKey.FindStringSubmatch(view.comment); found != nil {
			view.key = found[1]
		} else {
			t.Errorf("the comment of %s does not end with its key, as in Key: series_id, date.", script.Name)
		}
		head, _, _ := strings.Cut(script.Text, "\nSQL SECURITY DEFINER AS\n")
		for _, found := range viewColumn.FindAllStringSubmatch(head, -1) {
			view.columns = append(view.columns,
				peoplesColumn{found[1], found[2], strings.ReplaceAll(found[3], "''", "'")})
		}
		for _, found := range viewParameter.FindAllStringSubmatch(script.Text, -1) {
			if !slices.Contains(view.parameters, found[1]) {
				view.parameters = append(view.parameters, found[1])
			}
		}
		views = append(views, view)
	}
	if len(views) < 30 {
		t.Fatalf("only %d views", len(views))
	}
	return views
}

// call returns the view as it stands after FROM, with values for its parameters.
func (v peoplesView) call() string {
	values := map[string]string{
		"as_of": "'2025-07-20'", "known_at": "'2100-01-01 00:00:00'", "valuation": "'real_uf'",
		"series": "(SELECT toString(groupArray(series_id)) FROM screener)",
	}
	arguments := make([]string, len(v.parameters))
	for i, name := range v.parameters {
		arguments[i] = name + " = " + values[name]
	}
	if len(arguments) == 0 {
		return v.name
	}
	return v.name + "(" + strings.Join(arguments, ", ") + ")"
}

// unit finds the unit of a number in a comment.
var unit = regexp.MustCompile(
	`fraction|[Ff]actor|full units of|full pesos|in currency|[Nn]umber|Pesos for one|in pesos|Level of the index|0 to 100|1 to 5|Place|Id of|Line|1 for the newest`)

func theirComments(t *testing.T, p *demotest.Market, views []peoplesView) {
	for _, view := range views {
		if got := column(t, p, "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = $1",
			view.name)[0]; got != view.comment || len(view.comment) < 30 {
			t.Errorf("the comment of %s is %q, and its file has %q", view.name, got, view.comment)
		}
		for _, c := range view.columns {
			number := regexp.MustCompile(`\b(U?Int\d+|Float64)\b`).MatchString(c.kind)
			if number && !unit.MatchString(c.comment) {
				t.Errorf("the comment of %s.%s tells no unit: %s", view.name, c.name, c.comment)
			}
			if pesos := strings.HasSuffix(c.name, "_clp"); pesos && strings.Contains(c.kind, "Float") &&
				!strings.Contains(strings.ToLower(c.comment), "peso") {
				t.Errorf("the comment of %s.%s does not speak of pesos: %s", view.name, c.name, c.comment)
			}
		}
		if len(view.parameters) > 0 { // ClickHouse lists no columns of such a view
			continue
		}
		listed := column(t, p, "SELECT concat(name, ' ', type, ' ', comment) FROM system.columns WHERE database = "+
			"currentDatabase() AND table = $1 ORDER BY position", view.name)
		var stated []string
		for _, c := range view.columns {
			stated = append(stated, c.name+" "+c.kind+" "+c.comment)
		}
		if !slices.Equal(listed, stated) {
			t.Errorf("%s has the columns\n%s\nand its file\n%s", view.name, strings.Join(listed, "\n"),
				strings.Join(stated, "\n"))
		}
	}
}

// foreignSpelling are words that the internal tables, the API or the files have for ideas that
// have another name here.
var foreignSpelling = regexp.MustCompile(
	`_rar|fund_family|familia|percent|moneda|valor|patrimon|^cuota|asset_id|concept_id|provider_id|label|class_dated|book_val$|_uf$|_change$|^rut$|_rol|thousands|millions`)

func theirSpelling(t *testing.T, views []peoplesView) {
	kinds := map[string]string{}
	for _, view := range views {
		for _, c := range view.columns {
			if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(c.name) ||
				foreignSpelling.MatchString(c.name) && !(view.name == "managers" && c.name == "rut") {
				t.Errorf("%s.%s is spelled in another way elsewhere", view.name, c.name)
			}
			kind := strings.NewReplacer("LowCardinality(", "", "Nullable(", "", ")", "").Replace(c.kind)
			if kinds[c.name] == "" {
				kinds[c.name] = kind
			}
			if kinds[c.name] != kind {
				t.Errorf("%s.%s is %s, and %s in another view", view.name, c.name, kind, kinds[c.name])
			}
			if strings.Contains(c.kind, "Decimal") || strings.Contains(c.kind, "Array") ||
				strings.Contains(c.kind, "Tuple") {
				t.Errorf("%s.%s is %s, which many clients can't use as a number or text", view.name, c.name, c.kind)
			}
		}
	}
	for name, kind := range map[string]string{"series_id": "UInt32", "fund_id": "UInt32", "manager_id": "UInt32",
		"run": "String", "date": "Date", "month": "Date", "family": "String", "equity_clp": "Float64",
		"shareholders": "UInt64"} { // a sum of several series may be above 2^32
		if kinds[name] != kind {
			t.Errorf("%s is %s, want %s", name, kinds[name], kind)
		}
	}
}

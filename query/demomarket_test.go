package query_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
)

// demoMarket is a server over the demo market, and what the files of the market say.
type demoMarket struct {
	*rig
	dir    string // of the files
	quotes []*quote
}

// lastDay is the last day of the demo market's cartolas.
const lastDay = "2025-07-20"

func TestTheDemoMarketIsWhatItsFilesSay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	market := demotest.New(t)
	market.IngestDemo(t)
	market.Build(t)
	r, dir := filesRig(t, market.Options, t.TempDir()), demoFiles(t)
	d := demoMarket{r, dir, cartolas(t, dir)}
	t.Run("investment funds are those of their register, without values", d.investmentFundsOfTheRegister)
	t.Run("managers rank by the sums of their lines", d.managersRank)
	t.Run("a manager's evolution is that of its lines on the last days of months", d.evolutionOfAManager)
	t.Run("a family of which one fund has a history has no index", d.indexOfAFamily)
	t.Run("the summary sums up the families and lists what rose and fell", d.summaryOfFamilies)
	t.Run("all funds are what the screener shows", d.allFundsAreTheScreeners)
	t.Run("all funds of a past date are its lines", d.allFundsOfAPastDate)

	t.Run("the code samples of guides run", func(t *testing.T) { samplesOfGuidesRun(t, r, market.Options) })
	t.Run("the code samples of operations print the examples", func(t *testing.T) {
		samplesPrintTheExamples(t, r, false)
	})

	// These come last, because the first one adds files to the market.
	t.Run("the examples of the document are answers", func(t *testing.T) {
		examplesAreAnswers(t, fileMarket{r, market})
	})
	t.Run("the code samples about the added files print the examples", func(t *testing.T) {
		samplesPrintTheExamples(t, r, true)
	})
	t.Run("a Python client of the document reads the answers", func(t *testing.T) { aPythonClientReads(t, r) })
	t.Run("TypeScript types of the document fit the answers", func(t *testing.T) { typeScriptTypesFit(t, r) })
}

func (d demoMarket) investmentFundsOfTheRegister(t *testing.T) {
	kinds, named := map[string]int{}, 0
	for _, row := range table(t, filepath.Join(d.dir, "fi", "fondos_inversion.csv")) {
		kinds[row["tipo"]]++
		if strings.Contains(row["nombre"], "ETF") {
			named++
		}
	}
	for query, want := range map[string]int{
		"status=all": 955, "status=unknown": 955, "": 0, "status=unknown&regulatory_type=RES": kinds["FIRES"],
		"status=unknown&regulatory_type=FINRE": kinds["FINRE"], "status=unknown&q=etf": named,
		"status=unknown&is_etf=true": 0,
	} {
		if got := decode[instruments](t, d.get(t, "/api/fi/instruments?limit=1&"+query)); got.Meta.Total != want {
			t.Errorf("%s: %d, want %d", query, got.Meta.Total, want)
		}
	}
}

func (d demoMarket) managersRank(t *testing.T) {
	type sums struct {
		patrimony    float64
		shareholders int
		funds        map[int]bool
	}
	want, dolares := map[int]*sums{}, 0
	for _, q := range d.quotes {
		if q.date != lastDay {
			continue
		}
		of := want[q.manager]
		if of == nil {
			of = &sums{funds: map[int]bool{}}
			want[q.manager] = of
		}
		switch q.currency {
		case "PESOS":
			of.patrimony += q.equity
		case "DOLAR":
			dolares++
			of.patrimony += q.equity * dolarOn(t, d.dir, lastDay)
		default:
			t.Fatalf("currency of %+v", q)
		}
		of.shareholders += q.shareholders
		of.funds[q.run] = true
	}
	if dolares == 0 || len(want) < 10 {
		t.Fatalf("%d series in dollars, %d managers", dolares, len(want))
	}
	for _, metric := range []string{"patrimony", "shareholders"} {
		got := decode[ranking](t, d.get(t, "/api/agf_stats/ranking?metric="+metric))
		if len(got.Data) != len(want) || *got.Meta.Date != lastDay || got.Meta.Unconverted != 0 {
			t.Fatalf("%d managers, want %d; %+v", len(got.Data), len(want), got.Meta)
		}
		order := slices.SortedFunc(maps.Keys(want), func(a, b int) int {
			if metric == "shareholders" && want[a].shareholders != want[b].shareholders {
				return want[b].shareholders - want[a].shareholders
			} else if metric == "patrimony" {
				return cmp.Compare(want[b].patrimony, want[a].patrimony)
			}
			return 0
		})
		for i, rut := range order {
			item, of := got.Data[i], want[rut]
			if metric == "patrimony" && item.ID != fmt.Sprint(oracle.ID(oracle.ManagerKey(rut))) {
				t.Errorf("rank %d: %s %s, want the manager %d", i+1, item.ID, item.Attributes.Administrator, rut)
				continue
			}
			if metric == "patrimony" && (!almost(*item.Attributes.Patrimony, of.patrimony) ||
				item.Attributes.Funds != len(of.funds)) ||
				item.Attributes.Shareholders != of.shareholders || item.Attributes.Rank != i+1 {
				t.Errorf("%+v, want %+v at %d", item.Attributes, *of, i+1)
			}
		}
	}
}

func (d demoMarket) evolutionOfAManager(t *testing.T) {
	const soyfocus = 77057272
	want := map[string]float64{}
	lastOf := map[string]string{}
	for _, q := range d.quotes {
		lastOf[q.date[:7]] = max(lastOf[q.date[:7]], q.date)
	}
	for _, q := range d.quotes {
		if q.manager == soyfocus && q.date == lastOf[q.date[:7]] {
			want[q.date[:7]] += q.equity
		}
	}
	name := ""
	for _, item := range decode[ranking](t, d.get(t, "/api/agf_stats/ranking")).Data {
		if item.ID == fmt.Sprint(oracle.ID(oracle.ManagerKey(soyfocus))) {
			name = item.Attributes.Administrator
		}
	}
	got := decode[evolution](t,
		d.get(t, "/api/agf_stats/evolution?administrator="+strings.ReplaceAll(strings.ToLower(name), " ", "+")))
	if len(got.Data) != len(want) || len(want) != 70 {
		t.Fatalf("%d months, want %d", len(got.Data), len(want))
	}
	for i, row := range got.Data {
		month := row["month"].(string)
		if value, given := row[name].(float64); !given || !almost(value, want[month]) {
			t.Errorf("%s: %v, want %v", month, row[name], want[month])
		}
		if i > 0 && month <= got.Data[i-1]["month"].(string) {
			t.Errorf("%s does not ascend", month)
		}
	}
}

// indexOfAFamily checks that a family of which only one fund has a history has no index (RULES 7, coverage). That of
// many funds is compared with an independent computation in the package projector.
func (d demoMarket) indexOfAFamily(t *testing.T) {
	const family = "Balanceado moderado"
	member := map[string]bool{}
	for _, row := range table(t, filepath.Join(d.dir, "comparator", "cmf_rentabilidades_20250930.csv")) {
		if row["familia_rar"] == family {
			member[row["fo_run"]+" "+oracle.SerieName(row["fm_serie"])] = true
		}
	}
	withHistory := map[string]bool{}
	for _, q := range d.quotes {
		if run := fmt.Sprint(q.run); member[run+" "+q.serie] && q.previous != nil {
			withHistory[run] = true
		}
	}
	if len(member) < 100 || len(withHistory) != 1 {
		t.Fatalf("%d series, of which those of %v have more than one day", len(member), withHistory)
	}
	got := decode[familyIndex](t, d.get(t, "/api/families/balanceado%20MODERADO/index"))
	if len(got.Data) != 0 || got.Meta.Available || got.Meta.Family != family || *got.Meta.Currency != "PESOS" {
		t.Errorf("%d points, %+v", len(got.Data), got.Meta)
	}
}

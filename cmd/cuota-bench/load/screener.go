package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/model"
)

// request is one request to the screener. Fields that are zero do not filter.
type request struct {
	text, family, class, currency, category, administrator string
	ratedFamily, ratedClass                                string
	spheresMin, spheresMax                                 int64
	sort, order                                            string
	limit, offset                                          int64
}

// Series holds the attributes of a screener row by which requests filter.
type Series struct {
	ID       uint32  `ch:"series_id"`
	Fund     string  `ch:"fund"`
	RUN      string  `ch:"run"`
	Manager  string  `ch:"manager"`
	Category *string `ch:"category"`
	Family   *string `ch:"family_rar"`
	Class    *string `ch:"class_dated"`
	ClassTAC *string `ch:"class_tac"`
	Currency *string `ch:"currency"`
	Spheres  *uint8  `ch:"spheres"`
}

// ListSeries reads the series that are open at the cutoff, by ascending id. It fails if
// there are none.
func ListSeries(ctx context.Context, conn driver.Conn) ([]Series, error) {
	var rows []Series
	err := conn.Select(ctx, &rows,
		`SELECT series_id, fund, run, manager, category, family_rar, class_dated, class_tac, currency, spheres
		FROM current_screener ORDER BY series_id`)
	if err != nil {
		return nil, fmt.Errorf("read the market's values: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("the market has no series alive")
	}
	return rows, nil
}

// DrawScreens draws n random requests, always the same for the same market. Each takes
// its filters from one real series, so that its first page is never empty.
func DrawScreens(series []Series, n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	paths := make([]string, n)
	for i := range paths {
		paths[i] = draw(random, series[random.IntN(len(series))]).path()
	}
	return paths
}

// draw makes a request that matches the row.
func draw(random *rand.Rand, row Series) request {
	chance := func(percent int) bool { return random.IntN(100) < percent }
	one := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	r := request{order: one("asc", "desc"), limit: []int64{10, 25, 50, 50, 50, 100, 200}[random.IntN(7)]}
	if chance(20) {
		r.text = row.RUN
		if words := strings.Fields(row.Fund); len(words) > 0 && chance(70) {
			r.text = words[random.IntN(len(words))]
		}
	}
	if row.Family != nil && chance(25) {
		r.family = strings.ToUpper(*row.Family)
	}
	if class := row.Class; chance(20) {
		if class == nil {
			class = row.ClassTAC
		}
		if class != nil {
			r.class = *class
		}
	}
	if row.Currency != nil && chance(60) {
		r.currency = *row.Currency
	}
	if row.Category != nil && chance(30) {
		r.category = *row.Category
	}
	if words := strings.Fields(row.Manager); len(words) > 0 && chance(15) {
		r.administrator = words[0]
	}
	sorts := []string{"id", "tac"}
	if r.currency != "" {
		sorts = append(sorts, model.Windows...)
	}
	if row.Family != nil && row.Class != nil && row.Spheres != nil && chance(15) {
		r.ratedFamily, r.ratedClass = *row.Family, *row.Class
		r.spheresMin, r.spheresMax = 1, int64(*row.Spheres)
		sorts = append(sorts, "cmf_spheres")
	}
	r.sort = one(sorts...)
	if chance(40) {
		r.offset = r.limit * int64(random.IntN(5))
	}
	return r
}

// path is the path and query of the request.
func (r request) path() string {
	values := url.Values{}
	text := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	number := func(name string, value int64) {
		if value != 0 {
			values.Set(name, strconv.FormatInt(value, 10))
		}
	}
	text("q", r.text)
	text("fund_family", r.family)
	text("investor_class", r.class)
	text("currency", r.currency)
	text("category", r.category)
	text("administrator", r.administrator)
	text("cmf_family", r.ratedFamily)
	text("cmf_investor_type", r.ratedClass)
	number("cmf_spheres_min", r.spheresMin)
	number("cmf_spheres_max", r.spheresMax)
	text("sort", r.sort)
	text("order", r.order)
	number("limit", r.limit)
	number("offset", r.offset)
	return ScreenerPath + "?" + values.Encode()
}

// ScreenerPath is the path of the screener.
const ScreenerPath = "/api/screener"

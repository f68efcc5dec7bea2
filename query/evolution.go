package query

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"cuota/model"
)

// maxAdministrators is how many managers one request may name. The market has about thirty.
const maxAdministrators = 50

// evolutionOperation gives a metric of each named manager for each month, on the last
// complete date of the month (RULES 8).
func (s *Server) evolutionOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/agf_stats/evolution", access: keyed, reads: anyBatch,
		params: []param{
			repeated(exact("administrator", 200), maxAdministrators), metric(), month("from_month"), month("to_month"),
		},
		check: checkEvolution, answer: s.evolution,
	}
}

func checkEvolution(v values) []violation {
	from, isFrom := v.date("from_month")
	to, isTo := v.date("to_month")
	if isFrom && isTo && from.Compare(to) > 0 {
		return []violation{{Loc: []string{"query", "from_month"}, Type: "value_error", Msg: "Must not be after to_month"}}
	}
	return nil
}

// evolutionMeta lists the keys that every row has besides month: the names of the managers
// as the batch writes them.
type evolutionMeta struct {
	Metric         string            `json:"metric"`
	Administrators []string          `json:"administrators"`
	Unconverted    uint64            `json:"unconverted_series"` // series left out of patrimony because a rate is missing, in the month with most of them
	Units          map[string]string `json:"units"`
}

func (s *Server) evolution(ctx context.Context, c *call) (reply, error) {
	names, ids, err := s.administrators(ctx, c.batch, c.texts("administrator"))
	if err != nil {
		return reply{}, err
	}
	from, to := firstDay, lastDayOfAll
	if month, given := c.date("from_month"); given {
		from = storable(month)
	}
	if month, given := c.date("to_month"); given {
		to = storable(model.DateOf(month.Time().AddDate(0, 1, -1)))
	}
	type cell struct {
		Month       string   `ch:"month"`
		Name        string   `ch:"name"` // empty if none of the managers had a series in that month
		Value       *float64 `ch:"value"`
		Unconverted uint64   `ch:"unconverted_series"`
	}
	cells, err := rows[cell](ctx, s.reader, "agf_evolution",
		arg("batch", c.batch.Number), arg("managers", ids), arg("metric", c.text("metric")),
		arg("from", from.String()), arg("to", to.String()))
	if err != nil {
		return reply{}, err
	}

	// One object for each month, with all names in each.
	meta := evolutionMeta{Metric: c.text("metric"), Administrators: names,
		Units: map[string]string{"patrimony": patrimonyUnit, "shareholders": shareholdersUnit}}
	data := []map[string]any{}
	var unconverted uint64
	for i, cell := range cells {
		if i == 0 || cell.Month != cells[i-1].Month {
			row := make(map[string]any, len(names)+1)
			for _, name := range names {
				row[name] = nil
			}
			row["month"] = cell.Month
			data = append(data, row)
			unconverted = 0
		}
		unconverted += cell.Unconverted
		meta.Unconverted = max(meta.Unconverted, unconverted)
		if cell.Name != "" {
			data[len(data)-1][cell.Name] = cell.Value
		}
	}
	return okList(data, meta)
}

// administrators finds the managers that the requested names mean, in the requested order.
// It returns their names in the batch and their ids. It fails with 422 if a name means no
// manager.
func (s *Server) administrators(ctx context.Context, b *batch, asked []string) (names []string, ids []uint32, err error) {
	type named struct {
		Asked    string   `ch:"asked"`
		Name     string   `ch:"name"`
		Managers []uint32 `ch:"managers"`
	}
	found, err := rows[named](ctx, s.reader, "managers_named", arg("batch", b.Number), arg("names", asked))
	if err != nil {
		return nil, nil, err
	}
	var unknown invalid
	for _, name := range asked {
		i := slices.IndexFunc(found, func(n named) bool { return n.Asked == name })
		switch {
		case i < 0:
			unknown = append(unknown, violation{Loc: []string{"query", "administrator"}, Type: "unknown_administrator", Input: echo(name),
				Msg: fmt.Sprintf("There is no manager named %q. GET /api/asset_providers lists them.", echo(name))})
		case !slices.Contains(names, found[i].Name):
			names = append(names, found[i].Name)
			ids = append(ids, found[i].Managers...)
		}
	}
	if unknown != nil {
		return nil, nil, unknown
	}
	return names, ids, nil
}

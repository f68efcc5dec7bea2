package summary

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// Evolution answers with a metric of each named manager for each month, on the last complete date
// of the month (RULES 8).
var Evolution = operation.Endpoint[evolutionParams, Months]{
	Path:  "/api/agf_stats/evolution",
	Check: checkEvolution,
	Find:  findEvolution, Known: knownEvolution, Table: evolutionTable, Parts: []batch.Loader{evolutionPart},
}

type evolutionParams struct {
	// the market has about thirty
	Managers []string             `query:"administrator" max:"200" most:"50" example:"SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A." doc:"Name of a manager, ignoring case and accents; repeat the parameter for several. An unknown name is an error."`
	Metric   metricParam          `query:"metric" default:"first" example:"patrimony" doc:"What to follow"`
	From     operation.MonthParam `query:"from_month" example:"2025-05" doc:"First month, YYYY-MM. Not after to_month."`
	To       operation.MonthParam `query:"to_month" example:"2025-06" doc:"Last month, YYYY-MM"`
	operation.FormatParams
}

func checkEvolution(_ model.Date, params *evolutionParams) []httpapi.Violation {
	if from, to := params.From, params.To; from.Given && to.Given && from.Compare(to.Date) > 0 {
		return operation.WrongParameter("from_month", "value_error", "Must not be after to_month")
	}
	return nil
}

// EvolutionMeta lists the keys that every row has besides month: the names of the managers
// as the batch writes them.
type EvolutionMeta struct {
	Metric         string   `json:"metric"`
	Administrators []string `json:"administrators"`
	// series left out of patrimony because a rate is missing, in the month with most of them
	Unconverted uint64            `json:"unconverted_series"`
	Units       map[string]string `json:"units"`
}

// args returns the arguments of agf_evolution.sql for some managers.
func (params *evolutionParams) args(managers []uint32) []any {
	from, to := params.From.Or(operation.FirstDay), operation.LastDayOfAll
	if params.To.Given {
		to = operation.Storable(params.To.LastDay())
	}
	return evolutionArgs(string(params.Metric), from, to, false, managers)
}

func evolutionArgs(metric string, from, to model.Date, all bool, managers []uint32) []any {
	return []any{sql.Arg("managers", managers), sql.Arg("all_managers", all), sql.Arg("metric", metric),
		sql.Arg("from", from.String()), sql.Arg("to", to.String())}
}

// evolutionTable is the evolution as a table, with a row for each month and manager.
func evolutionTable(ctx context.Context, r *operation.Request[evolutionParams]) (operation.Table, error) {
	_, ids, err := administrators(ctx, r.Pinned, r.Params.Managers)
	return operation.Table{Statement: "rows_evolution", Args: r.Params.args(ids)}, err
}

func findEvolution(ctx context.Context, r *operation.Request[evolutionParams]) (Months, error) {
	names, ids, err := administrators(ctx, r.Pinned, r.Params.Managers)
	if err != nil {
		return Months{}, err
	}
	cells, err := operation.Rows[evolutionCell](ctx, r.Pinned, "agf_evolution", r.Params.args(ids)...)
	if err != nil {
		return Months{}, err
	}
	return monthsOf(string(r.Params.Metric), names, cells), nil
}

// evolutionCell is a row of agf_evolution.sql.
type evolutionCell struct {
	Month       string   `ch:"month"`
	Name        string   `ch:"name"` // empty if none of the managers had a series in that month
	Value       *float64 `ch:"value"`
	Unconverted uint64   `ch:"unconverted_series"`
}

// monthName is the name of the member with the month, YYYY-MM, beside those with the values of managers.
const monthName = "month"

// Month has the value of each manager in a month, under its name: a *float64, nil if the manager has no series then.
type Month map[string]any

// Name returns the month, YYYY-MM.
func (m Month) Name() string { name, _ := m[monthName].(string); return name }

// Of returns the value of a manager, and nil if it has none.
func (m Month) Of(manager string) *float64 { value, _ := m[manager].(*float64); return value }

// Months are the months of some managers, in order.
type Months = httpapi.List[Month, EvolutionMeta]

// monthsOf makes one object for each month, with all names in each.
func monthsOf(metric string, names []string, cells []evolutionCell) Months {
	meta := EvolutionMeta{Metric: metric, Administrators: names,
		Units: map[string]string{"patrimony": patrimonyUnit, "shareholders": shareholdersUnit}}
	data := []Month{}
	var unconverted uint64
	for i, cell := range cells {
		if i == 0 || cell.Month != cells[i-1].Month {
			row := make(Month, len(names)+1)
			for _, name := range names {
				row[name] = nil
			}
			row[monthName] = cell.Month
			data = append(data, row)
			unconverted = 0
		}
		unconverted += cell.Unconverted
		meta.Unconverted = max(meta.Unconverted, unconverted)
		if cell.Name != "" {
			data[len(data)-1][cell.Name] = cell.Value
		}
	}
	return httpapi.ListOf(data, meta)
}

// heldEvolution is the evolution of all managers, as it is kept in memory.
type heldEvolution struct {
	months []string                                     // in order
	cells  map[evolutionColumn]map[string]evolutionCell // by month
}

// evolutionColumn is a metric of a manager, whose name is that of the replies.
type evolutionColumn struct{ metric, name string }

// evolutionPart keeps the evolution of all managers of the current batch in memory.
var evolutionPart = batch.NewOptionalPart("evolution",
	func(ctx context.Context, s batch.Source) (*heldEvolution, int, error) {
		held, size := &heldEvolution{cells: map[evolutionColumn]map[string]evolutionCell{}}, 0
		for _, metric := range metrics {
			cells, err := operation.Rows[evolutionCell](ctx, operation.PinnedBy(s), "agf_evolution",
				evolutionArgs(metric, operation.FirstDay, operation.LastDayOfAll, true, []uint32{})...)
			if err != nil {
				return nil, 0, err
			}
			held.months = held.months[:0] // which are those of every metric
			for i, cell := range cells {
				if i == 0 || cell.Month != cells[i-1].Month {
					held.months = append(held.months, cell.Month)
				}
				if cell.Name == "" {
					continue
				}
				column := evolutionColumn{metric, cell.Name}
				if held.cells[column] == nil {
					held.cells[column] = map[string]evolutionCell{}
				}
				held.cells[column][cell.Month] = cell
			}
			size += len(cells) * 2 * int(unsafe.Sizeof(evolutionCell{}))
		}
		return held, size, nil
	})

// knownEvolution has the months if the request has the names of managers as replies have them.
func knownEvolution(r *operation.Request[evolutionParams]) (Months, bool, error) {
	held, there := evolutionPart.Of(r.Batch)
	if !there || len(r.Params.Managers) == 0 {
		return Months{}, false, nil
	}
	var names []string
	for _, name := range r.Params.Managers {
		if held.cells[evolutionColumn{string(r.Params.Metric), name}] == nil {
			return Months{}, false, nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	metric, from, to := string(r.Params.Metric), r.Params.From, r.Params.To
	var cells []evolutionCell
	for _, month := range held.months {
		if from.Given && month < from.String() || to.Given && month > to.String() {
			continue
		}
		before := len(cells)
		for _, name := range names {
			if cell, there := held.cells[evolutionColumn{metric, name}][month]; there {
				cells = append(cells, cell)
			}
		}
		if len(cells) == before {
			cells = append(cells, evolutionCell{Month: month})
		}
	}
	return monthsOf(metric, names, cells), true, nil
}

// administrators finds the managers that the requested names mean, in the requested order.
// It returns their names in the batch and their ids. It fails with 422 if a name means no
// manager.
func administrators(ctx context.Context, p operation.Pinned, asked []string) (names []string, ids []uint32, err error) {
	type named struct {
		Asked    string   `ch:"asked"`
		Name     string   `ch:"name"`
		Managers []uint32 `ch:"managers"`
	}
	found, err := operation.Rows[named](ctx, p, "managers_named", sql.Arg("names", asked))
	if err != nil {
		return nil, nil, err
	}
	var unknown httpapi.Invalid
	for _, name := range asked {
		i := slices.IndexFunc(found, func(n named) bool { return n.Asked == name })
		switch {
		case i < 0:
			unknown = append(unknown, httpapi.Violation{Loc: []string{"query", "administrator"},
				Type: "unknown_administrator", Input: httpapi.Echo(name),
				Msg: fmt.Sprintf("There is no manager named %q. GET /api/asset_providers lists them.",
					httpapi.Echo(name))})
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

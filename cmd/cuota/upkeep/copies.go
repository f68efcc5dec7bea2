package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/output"
	"cuota/internal/eventlog"
	"cuota/projector"
	"cuota/sql"
)

// NewCopies returns the command cuota copies.
func NewCopies(s environment.Settings) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "copies",
		Short: "Show what the copies of the tables have built, and in which plans they differ",
		Long: "Show for each copy that has announced a plan: whether a program of it runs, and by the same rules as this\n" +
			"one, its last plan, from when on servers answer from that, how many plans came later, and the newest\n" +
			"plans, at most 5, in which its rows differ from those of the copy that was first, with the tables. Then\n" +
			"show the last plan that there is, and the batch that the copy in CUOTA_CLICKHOUSE has published.\n" +
			"Programs are only shown if CUOTA_KAFKA names the servers that know them.\n" +
			"Every copy stores what all of them announce, so any of them can be asked. A copy that has announced\n" +
			"nothing is not in the table.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runCopies(command.Context(), s, asJSON, command.OutOrStdout())
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "write one JSON object, for programs")
	command.AddCommand(newCopiesDiff(s))
	return command
}

func runCopies(ctx context.Context, s environment.Settings, asJSON bool, out io.Writer) error {
	conn, _, err := openCopy(s, "CUOTA_CLICKHOUSE", environment.Settings.ClickHouseServer)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	state, err := readCopies(ctx, conn, s.Copy)
	if err != nil {
		return err
	}
	if len(s.Kafka) > 0 {
		if err := state.askPrograms(ctx, s); err != nil { // the rest is worth more while Kafka is away
			log := s.Logger()
			log.Warn().Err(err).Msg("Kafka does not say which programs run")
		}
	}
	if asJSON {
		return output.JSON(out, state)
	}
	return state.tell(out)
}

// openCopy connects to the server that a variable names.
func openCopy(s environment.Settings, variable string,
	server func(environment.Settings) (*clickhouse.Options, error)) (driver.Conn, *clickhouse.Options, error) {
	if err := s.Require(variable); err != nil {
		return nil, nil, fmt.Errorf("%w to the ClickHouse server of a copy; a data directory is always the only copy", err)
	}
	options, err := server(s)
	if err != nil {
		return nil, nil, err
	}
	conn, err := s.OpenClickHouse(options, s.Logger().Level(zerolog.ErrorLevel), sql.Watch{})
	return conn, options, err
}

// copiesState is the output of the command. Programs read its JSON, so the names must stay.
type copiesState struct {
	Copies    []copyState    `json:"copies"`    // that have announced a plan
	LastPlan  *lastPlan      `json:"last_plan"` // null: there is none
	Copy      string         `json:"copy"`      // name of this copy; "": it has none
	Published *publishedPlan `json:"published"` // the batch that this copy has published; null: none yet
}

// copyState is what a copy has announced.
type copyState struct {
	Copy        string          `ch:"copy" json:"copy"`                 // its name; "": it had none
	Program     string          `ch:"-" json:"program"`                 // what askPrograms learned; "": not known
	Plans       uint64          `ch:"plans" json:"plans"`               // how many plans it has announced
	LastPlan    uint64          `ch:"last_plan" json:"last_plan"`       // the last one of these
	AnswersFrom time.Time       `ch:"answers_from" json:"answers_from"` // when servers answer from it, as the copy says
	Behind      uint64          `ch:"behind" json:"behind"`             // plans after that one
	Differing   []differingPlan `ch:"-" json:"differing"`               // the newest ones, at most 5
}

// differingPlan is a plan of which a copy announced other rows than the copy that was first.
type differingPlan struct {
	Copy   string   `ch:"copy" json:"-"`
	Plan   uint64   `ch:"plan" json:"plan"`
	First  string   `ch:"first_copy" json:"first_copy"`
	Tables []string `ch:"tables" json:"tables"`
}

type lastPlan struct {
	Plan      uint64    `json:"plan"`
	PlannedAt time.Time `json:"planned_at"`
	PlannedBy string    `json:"planned_by"` // name of a copy; "": it had none
}

type publishedPlan struct {
	Plan    uint64 `json:"plan"`
	BatchID string `json:"batch_id"`
	Number  uint64 `json:"number"` // in this copy
}

// What is said of the program of a copy.
const (
	runsSame  = "same rules"
	runsOther = "other rules" // than this program: batches are planned once all have the same. Old ones do not tell theirs
	runsNone  = "none runs"
)

// askWithin bounds how long to ask Kafka.
const askWithin = 5 * time.Second

// askPrograms asks Kafka which programs build the batches of the copies.
func (s *copiesState) askPrograms(ctx context.Context, settings environment.Settings) error {
	brokers, err := settings.KafkaServers()
	if err != nil {
		return err
	}
	groups := make([]string, len(s.Copies))
	for i, c := range s.Copies {
		groups[i] = projector.GroupOf(c.Copy)
	}
	if len(groups) == 0 {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	running, err := eventlog.Versions(within, brokers, groups)
	if err != nil {
		return err
	}
	for i := range s.Copies {
		program := runsNone
		for _, rules := range running[groups[i]] {
			switch {
			case rules != sql.Rules():
				program = runsOther
			case program == runsNone:
				program = runsSame
			}
		}
		s.Copies[i].Program = program
	}
	return nil
}

func readCopies(ctx context.Context, conn driver.Conn, name string) (*copiesState, error) {
	state := &copiesState{Copy: name, Copies: []copyState{}}
	list, err := sql.Select[copyState](ctx, conn, "copies", nil, "query what copies have announced")
	if err != nil {
		return nil, err
	}
	differing, err := sql.Select[differingPlan](ctx, conn, "copies_differing", nil, "query the plans that differ")
	if err != nil {
		return nil, err
	}
	for _, each := range list {
		each.AnswersFrom, each.Differing = each.AnswersFrom.UTC(), []differingPlan{}
		for _, plan := range differing {
			if plan.Copy == each.Copy {
				each.Differing = append(each.Differing, plan)
			}
		}
		state.Copies = append(state.Copies, each)
	}
	var rows []struct {
		LastPlan  uint64    `ch:"last_plan"`
		PlannedAt time.Time `ch:"planned_at"`
		PlannedBy string    `ch:"planned_by"`
		Number    uint64    `ch:"number"`
		BatchID   string    `ch:"batch_id"`
		Plan      uint64    `ch:"plan"`
	}
	if err := conn.Select(ctx, &rows, sql.Query("copies_newest")); err != nil {
		return nil, fmt.Errorf("query the last plan and the published batch: %w", err)
	}
	for _, row := range rows { // the query returns one row
		if row.LastPlan > 0 {
			state.LastPlan = &lastPlan{row.LastPlan, row.PlannedAt.UTC(), row.PlannedBy}
		}
		if row.Number > 0 {
			state.Published = &publishedPlan{row.Plan, row.BatchID, row.Number}
		}
	}
	return state, nil
}

// unnamedCopy stands for the empty name of a copy.
const unnamedCopy = "(without a name)"

// tell prints the state for people.
func (s *copiesState) tell(out io.Writer) error {
	if len(s.Copies) == 0 {
		fmt.Fprintln(out, "no copy has announced a plan yet")
	} else {
		table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "copy\tprogram\tplans\tlast plan\tanswers from\tbehind\tdiffers in")
		for _, c := range s.Copies {
			differs := "none"
			if len(c.Differing) > 0 {
				differs = c.Differing[0].String()
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%d\t%s\n", cmp.Or(c.Copy, unnamedCopy),
				cmp.Or(c.Program, "not known"), c.Plans, c.LastPlan,
				c.AnswersFrom.Format(time.RFC3339), c.Behind, differs)
			for _, plan := range c.Differing[min(1, len(c.Differing)):] {
				fmt.Fprintf(table, "\t\t\t\t\t\t%s\n", plan)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	if s.LastPlan == nil {
		fmt.Fprintln(out, "there is no plan yet")
	} else {
		fmt.Fprintf(out, "last plan: %d, planned %s by copy %s\n", s.LastPlan.Plan,
			s.LastPlan.PlannedAt.Format(time.RFC3339), cmp.Or(s.LastPlan.PlannedBy, unnamedCopy))
	}
	if s.Published == nil {
		fmt.Fprintf(out, "this copy, %s, has published no batch yet\n", cmp.Or(s.Copy, unnamedCopy))
	} else {
		fmt.Fprintf(out, "this copy, %s, has published plan %d as batch %s (number %d here)\n",
			cmp.Or(s.Copy, unnamedCopy), s.Published.Plan, s.Published.BatchID, s.Published.Number)
	}
	return nil
}

// String says in which tables the plan differs. Names of tables come from the topic, so they are made harmless.
func (p differingPlan) String() string {
	return fmt.Sprintf("plan %d, in %s (copy %s was first)", p.Plan, output.Bounded(strings.Join(p.Tables, ", ")),
		cmp.Or(p.First, unnamedCopy))
}

package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/output"
	"cuota/internal/account"
	"cuota/model"
	"cuota/projector"
	"cuota/projector/inspect"
	"cuota/sql"
)

// NewVerify returns the command cuota verify.
func NewVerify(s environment.Settings) *cobra.Command {
	var order verifyOrder
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check tables, archive, log and accounts for damage",
		Long: "Read every part of every table, compare the row counts of the tables with those that the published " +
			"batch recorded,\n" +
			"read every file of the archive and compare it with its hash, look for facts that name a file that the " +
			"archive does not\n" +
			"have, compare the offsets of the projector with the log, and check an account store in SQLite; " +
			"PostgreSQL has tools of\n" +
			"its own.\n" +
			"With --recompute, also rebuild every day in a new batch, publish it, and compare each projection with " +
			"the batch\n" +
			"published before. verify exits with 1 if it finds damage.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			order.out = command.OutOrStdout()
			return runVerification(command.Context(), s, order)
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	flags.BoolVar(&order.recompute, "recompute", false,
		"compute every projection again from the facts and compare it with the published one")
	flags.BoolVar(&order.asJSON, "json", false, "write one JSON object, for programs")
	exit.TimeoutVar(command, &order.timeout, "")
	return command
}

// errFindings makes verify exit with 1.
var errFindings = errors.New("verify found damage")

// remedy returns what to do about the findings. Those of the archive and of the accounts name
// their own, because cuota repair can't restore them.
func (v *verification) remedy() error {
	for _, f := range v.Findings {
		if f.Check == checkedTables || f.Check == checkedProjections {
			return fmt.Errorf("%w: run cuota repair, which restores from the archive what tables lack", errFindings)
		}
	}
	return fmt.Errorf("%w: do what each line says", errFindings)
}

// What verify checks.
const (
	checkedTables      = "tables"
	checkedArchive     = "archive"
	checkedLog         = "log"
	checkedAccounts    = "accounts"
	checkedProjections = "projections"
)

// verification is the output of the command. Programs read its JSON, so the names must
// stay.
type verification struct {
	Batch       uint64    `json:"batch"`       // batch that was compared; 0: none is published, or it has no checksums
	Files       int       `json:"files"`       // files of the archive that were read
	Partitions  int       `json:"partitions"`  // partitions of the log that were compared
	Projections int       `json:"projections"` // projections that were computed again
	Findings    []finding `json:"findings"`
}

// finding is one kind of damage that was found.
type finding struct {
	Check   string `json:"check"`   // tables, archive, log, accounts or projections
	Subject string `json:"subject"` // table, file or partition
	Problem string `json:"problem"`
}

func (v *verification) find(check, subject, problem string, values ...any) {
	v.Findings = append(v.Findings, finding{check, subject, fmt.Sprintf(problem, values...)})
}

// verifyOrder holds the arguments of the command.
type verifyOrder struct {
	data              string
	recompute, asJSON bool
	timeout           time.Duration // for the projector's inspection or build; 0: no limit
	out               io.Writer
}

func runVerification(ctx context.Context, s environment.Settings, order verifyOrder) error {
	log := s.Logger().Level(zerolog.ErrorLevel)
	purpose := connect.ToRead
	if order.recompute {
		purpose = connect.ToBuild
	}
	return connect.With(ctx, s, order.data, log, purpose, func(target *connect.Target) error {
		outcome := &verification{Findings: []finding{}}
		if err := outcome.verify(ctx, target, order, log); err != nil {
			return err
		}
		var err error
		if order.asJSON {
			err = output.JSON(order.out, outcome)
		} else {
			outcome.tell(order.out)
		}
		if err == nil && len(outcome.Findings) > 0 {
			err = outcome.remedy()
		}
		return err
	})
}

func (v *verification) verify(ctx context.Context, target *connect.Target, order verifyOrder,
	log zerolog.Logger) error {
	if err := v.tables(ctx, target, order.recompute, order.timeout, log); err != nil {
		return err
	}
	if err := v.archive(ctx, target); err != nil {
		return err
	}
	if err := v.log(ctx, target.Ends, log); err != nil {
		return err
	}
	if err := v.accounts(ctx, target); err != nil {
		return err
	}
	if !order.recompute || len(v.Findings) > 0 {
		return nil // nothing can be computed from damaged facts
	}
	return v.projections(ctx, target, order.timeout, log)
}

// tables makes the projector, a running one or one of this command, read every part, and
// compares the rows.
func (v *verification) tables(ctx context.Context, target *connect.Target, projects bool, timeout time.Duration,
	log zerolog.Logger) error {
	if target.Own && !projects {
		inspector := projector.New(projector.Config{}, target.Conn, log)
		if _, err := inspector.Inspect(ctx); err != nil {
			return err
		}
	} else {
		awaiting, err := target.Await(ctx, timeout, output.NewProgress(), log)
		if err != nil {
			return err
		}
		if err := inspectTables(ctx, target, awaiting, log); err != nil {
			return err
		}
	}
	batch, missing, err := inspect.Missing(ctx, target.Conn)
	if err != nil {
		return err
	}
	v.Batch = batch
	seen := map[string]bool{}
	for _, m := range missing {
		seen[m.Table] = true
		subject := m.Table
		if m.Piece != "" {
			subject += " " + m.Piece
		}
		v.find(checkedTables, subject, "has %d rows instead of %d", m.Stored, m.Noted)
	}
	damaged, err := knownDamage(ctx, target.Conn)
	for _, table := range damaged {
		if !seen[table.Table] {
			v.find(checkedTables, table.Table, "damaged in batch %d: %s", table.Batch, table.Reason)
		}
	}
	return err
}

// archive reads every payload and compares it with its hash. It also looks for facts that name a
// file that the archive does not have: the file was removed, or no command of cuota published them.
func (v *verification) archive(ctx context.Context, target *connect.Target) error {
	kept, err := target.Archive.Kept(ctx)
	if err != nil {
		return err
	}
	v.Files = len(kept)
	for _, sha := range kept {
		if _, err := target.Archive.Check(ctx, sha); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			v.find(checkedArchive, sha, "%v", err)
		}
	}
	var files []struct {
		SHA256 string `ch:"sha256"`
		Tables string `ch:"tables"`
		Rows   uint64 `ch:"rows"`
	}
	if err := target.Conn.Select(ctx, &files, sql.Query("fact_files")); err != nil {
		return fmt.Errorf("query the files that facts came from: %w", err)
	}
	for _, file := range files {
		if _, found := slices.BinarySearch(kept, file.SHA256); !found {
			v.find(checkedArchive, file.SHA256,
				"facts came from this file, and the archive does not have it: %d rows in %s", file.Rows, file.Tables)
		}
	}
	return nil
}

// log compares the offsets of the projector with what the log holds.
func (v *verification) log(ctx context.Context, of flow.Ends, log zerolog.Logger) error {
	partitions, err := flow.LagGroup(of.Brokers, of.Copy, log).Lag(ctx)
	if err != nil {
		return err
	}
	v.Partitions = len(partitions)
	for _, p := range partitions {
		subject := fmt.Sprintf("%s/%d", p.Topic, p.Partition)
		if p.Ahead > 0 {
			v.find(checkedLog, subject, "the committed offset of the projector is %d, but the log ends at offset %d",
				p.Committed, p.End)
		}
		if p.Lost > 0 {
			v.find(checkedLog, subject, "retention has removed %d messages that the projector has not read", p.Lost)
		}
	}
	return nil
}

// accounts checks an account store in SQLite.
func (v *verification) accounts(ctx context.Context, target *connect.Target) error {
	err := account.Check(ctx, target.Accounts, target.Pepper)
	if errors.Is(err, account.ErrStoreLost) || errors.As(err, new(*account.DamagedError)) {
		v.find(checkedAccounts, "account store", "%v", err)
		return nil
	}
	return err
}

// projections computes every projection again and compares it with the published one.
func (v *verification) projections(ctx context.Context, target *connect.Target, timeout time.Duration,
	log zerolog.Logger) error {
	if v.Batch == 0 {
		return nil
	}
	before, err := inspect.Sums(ctx, target.Conn, v.Batch)
	if err != nil {
		return err
	}
	awaiting, err := target.Await(ctx, timeout, output.NewProgress(), log)
	if err != nil {
		return err
	}
	anew, err := awaiting.Command(ctx, model.ProjectCommand{Rebuild: true}, log)
	if err != nil {
		return err
	}
	after, err := inspect.Sums(ctx, target.Conn, anew)
	if err != nil {
		return err
	}
	v.Projections = len(after)
	for i, sum := range after {
		if sum != before[i] {
			v.find(checkedProjections, sum.Table,
				"the %d rows of batch %d differ from the %d rows of the recomputed batch %d",
				before[i].Rows, v.Batch, sum.Rows, anew)
		}
	}
	return nil
}

func (v *verification) tell(out io.Writer) {
	fmt.Fprintf(out, "checked: batch %d, %d files of the archive, %d partitions of the log, %d recomputed projections\n",
		v.Batch, v.Files, v.Partitions, v.Projections)
	for _, f := range v.Findings {
		fmt.Fprintf(out, "%s: %s: %s\n", f.Check, f.Subject, f.Problem)
	}
	if len(v.Findings) == 0 {
		fmt.Fprintln(out, "nothing is damaged")
	}
}

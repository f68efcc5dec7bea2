package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/projector/inspect"
)

func newCopiesDiff(s environment.Settings) *cobra.Command {
	return &cobra.Command{
		Use:   "diff",
		Short: "Show which rows differ between two copies in the newest batch that both keep",
		Long: "Compare the newest batch that two copies keep, table by table: the copy in CUOTA_CLICKHOUSE (here) with " +
			"the one in\n" +
			"CUOTA_CLICKHOUSE_OTHER (there). For each table that differs, show how many rows have other values, how " +
			"many are\n" +
			"only here and only there, and the first rows of each kind, by their days or keys. Only sums are read of " +
			"tables and\n" +
			"days that are equal. The exit status is 0 if all rows are equal, 5 if some differ, and 1 if the copies " +
			"can't be\n" +
			"compared.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runCopiesDiff(command.Context(), s, command.OutOrStdout())
		},
	}
}

func runCopiesDiff(ctx context.Context, s environment.Settings, out io.Writer) error {
	here, at, err := openCopy(s, "CUOTA_CLICKHOUSE", environment.Settings.ClickHouseServer)
	if err != nil {
		return err
	}
	defer func() { _ = here.Close() }()
	there, other, err := openCopy(s, "CUOTA_CLICKHOUSE_OTHER", environment.Settings.OtherClickHouse)
	if err != nil {
		return err
	}
	defer func() { _ = there.Close() }()
	if slices.Equal(at.Addr, other.Addr) && at.Auth.Database == other.Auth.Database {
		return errors.New("CUOTA_CLICKHOUSE and CUOTA_CLICKHOUSE_OTHER name the same database: name another copy")
	}
	id, ours, theirs, err := inspect.Shared(ctx, here, there)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "batch %s: number %d here, %d there\n", id, ours.Batch, theirs.Batch)
	differences, compared, err := inspect.Compare(ctx, ours, theirs)
	if err != nil {
		return err
	}
	for _, table := range differences {
		tellDifference(out, table)
	}
	if len(differences) > 0 {
		return fmt.Errorf("%w in %d of %d tables: look for the cause with cuota verify on both copies, and build every "+
			"day anew with cuota rebuild", exit.ErrDiffering, len(differences), compared)
	}
	_, err = fmt.Fprintf(out, "all rows of %d tables are equal\n", compared)
	return err
}

// tellDifference prints the counts of a table, and its first rows that differ.
func tellDifference(out io.Writer, table inspect.TableDifference) {
	fmt.Fprintf(out, "%s: rows with other values: %d, only here: %d, only there: %d\n", table.Table, table.Changed,
		table.Here, table.There)
	for _, row := range table.Rows {
		here, there := columnsOf(row[0]), columnsOf(row[1])
		values, what := here, "only here"
		switch {
		case row[0] == "":
			values, what = there, "only there"
		case row[1] != "":
			what = ""
		}
		var key, rest []string
		for _, column := range table.Key {
			key = append(key, column+" "+output.Bounded(strings.Trim(values[column], `"`)))
		}
		for _, column := range table.Columns {
			switch {
			case slices.Contains(table.Key, column):
			case what != "":
				rest = append(rest, column+" "+values[column])
			case here[column] != there[column]:
				a, b := apart(here[column], there[column])
				rest = append(rest, fmt.Sprintf("%s is %s here and %s there", column, output.Bounded(a),
					output.Bounded(b)))
			}
		}
		difference := strings.Join(rest, "; ")
		switch {
		case what != "":
			difference = what + ": " + output.Bounded(strings.Join(rest, ", "))
		case difference == "":
			difference = "its values differ, and read the same" // JSON has null for a number that is none
		}
		fmt.Fprintf(out, "  %s: %s\n", strings.Join(key, ", "), difference)
	}
}

// columnsOf returns the values of a row, a JSON object, as texts. It has none if the row is missing.
func columnsOf(row string) map[string]string {
	var values map[string]json.RawMessage
	if row != "" {
		if err := json.Unmarshal([]byte(row), &values); err != nil {
			return nil // cannot happen: ClickHouse wrote it
		}
	}
	texts := make(map[string]string, len(values))
	for name, value := range values {
		texts[name] = string(value)
	}
	return texts
}

// apart leaves out the beginning that two long values have in common, so that their difference is seen.
func apart(a, b string) (string, string) {
	const seen, lead = 80, 20
	if max(len(a), len(b)) <= seen {
		return a, b
	}
	common := 0
	for common < min(len(a), len(b)) && a[common] == b[common] {
		common++
	}
	if common <= lead {
		return a, b
	}
	return "…" + a[common-lead:], "…" + b[common-lead:]
}

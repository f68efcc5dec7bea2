package receipts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cuota/client"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/query/receipt"
)

// NewAffected returns the command cuota affected.
func NewAffected(s environment.Settings, version string) *cobra.Command {
	var service connect.Service
	var asked client.Corrected
	var asJSON bool
	command := &cobra.Command{
		Use:   "affected --file HASH|NAME --line N",
		Short: "Show which published rows are computed with a line of a file",
		Long: "Show what follows from a line: the rows of the tables for people that are computed with it,\n" +
			"and their columns that are. The line must be the one that counts for its series and day, in a file of the\n" +
			"dataset cartola. The command asks the API at --url. The key is that in --key-file, or in CUOTA_API_KEY.",
		Example: "  cuota affected --file cartola_9809_9810_20250101_20250720.txt --line 796\n" +
			"  cuota affected --file cartola_9809_9810_20250101_20250720.txt --line 796 --columns costs --json",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case asked.File == "":
				return exit.Lacking(command, "give the hash or the name of a file with --file")
			case asked.Line < 1:
				return exit.Lacking(command, "give the number of a line, from 1, with --line")
			}
			api, err := service.Client(s, "cuota-affected/"+version)
			if err != nil {
				return err
			}
			defer api.CloseIdleConnections()
			return writeAffected(command.Context(), api, asked, asJSON, command.OutOrStdout())
		},
	}
	flags := command.Flags()
	service.AddFlags(flags)
	flags.StringVar(&asked.File, "file", "", "hash of the file, SHA-256 in hex, or its name")
	flags.Int64Var(&asked.Line, "line", 0, "number of the line in the file, from 1")
	flags.StringVar(&asked.Columns, "columns", "", "columns of cartola_daily that the correction changes, such as quota,equity (default all but the two factors)")
	flags.IntVar(&asked.Rows, "rows", 5, "the most rows of each table that are shown; at most 10000")
	flags.StringVar(&asked.BatchID, "batch-id", "", "answer from this batch, which must be kept")
	flags.BoolVar(&asJSON, "json", false, "print the answer of the API as it is, on one line")
	return command
}

// writeAffected asks what a line touches, and writes it for a person, or as the API answers it.
func writeAffected(ctx context.Context, api *client.Client, asked client.Corrected, asJSON bool, out io.Writer) error {
	answer, batch, err := api.Affected(ctx, asked)
	if err != nil {
		return askedError(ctx, api, err)
	}
	if asJSON {
		_, err = fmt.Fprintf(out, "%s\n", answer)
		return err
	}
	var item struct {
		Data struct {
			Attributes receipt.Touched `json:"attributes"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &item); err != nil {
		return fmt.Errorf("the answer of the API has no list of rows: %w", err)
	}
	_, err = io.WriteString(out, affectedText(&item.Data.Attributes, batch))
	return err
}

// affectedText says which rows are computed with a line.
func affectedText(of *receipt.Touched, batch string) string {
	var p paper
	p.whole(0, fmt.Sprintf("Line %d of %s", of.Line.Line, of.Line.File))
	p.write(2, fmt.Sprintf("%s, sha256 %s, publication %s", of.Line.Dataset, of.Line.SHA256, momentWords(of.Line.Published)))
	p.write(2, fmt.Sprintf("RUN %s, series %s, id of the series %d, %s", of.Line.RUN, of.Line.Serie, of.Line.Series, of.Line.Date))
	p.gap()
	p.write(0, fmt.Sprintf("Rows of the batch %[2]s that are computed with its %[3]s: %[1]d.",
		of.Rows, batch, strings.Join(of.Columns, ", ")))
	for i := range of.Tables {
		table := &of.Tables[i]
		p.gap()
		p.write(0, fmt.Sprintf("%s: rows %d; %s", table.Table, table.Rows, strings.Join(table.Columns, ", ")))
		for _, row := range table.Listed {
			p.write(2, keyWords(row.Key)+": "+strings.Join(row.Columns, ", "))
		}
		if left := table.Rows - len(table.Listed); left > 0 && len(table.Listed) > 0 {
			p.write(2, fmt.Sprintf("and %d more; --rows shows them", left))
		}
	}
	p.gap()
	p.write(0, "What depends on the size of the correction is not in this list: rows that become a break, an outlier or a "+
		"spike, or stop being one, and what that does to an index; numbers that are null and get a value, or the other "+
		"way round, through the coverage of a family, a cost rate outside 0 to 1 or a factor that is withdrawn; series "+
		"that begin or end because equity and quotas are 0; days that become complete; and scores of other series. "+
		"cuota ingest --dry-run compares the corrected file.")
	return p.text.String()
}

// keyWords writes the columns of a key, as "date 2025-07-18, series_id 1".
func keyWords(key json.RawMessage) string {
	var words []string
	decoder := json.NewDecoder(strings.NewReader(string(key)))
	for name := ""; ; {
		token, err := decoder.Token()
		if err != nil {
			return strings.Join(words, ", ")
		}
		switch is := token.(type) {
		case json.Delim:
		case string:
			if name == "" {
				name = is
			} else {
				words, name = append(words, name+" "+is), ""
			}
		default:
			words, name = append(words, fmt.Sprintf("%s %.0f", name, is)), ""
		}
	}
}

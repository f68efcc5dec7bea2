// Package receipts has the command cuota explain, which shows how a number follows from lines of files, and cuota
// affected, which shows what follows from a line. They ask the API, so that its rules are computed in one place.
package receipts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cuota/client"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/output"
	"cuota/model"
	"cuota/query/receipt"
	"cuota/verify"
)

// New returns the command cuota explain.
func New(s environment.Settings, version string) *cobra.Command {
	var service connect.Service
	var asked client.Explained
	var asJSON bool
	var files string
	command := &cobra.Command{
		Use:   "explain --series ID | --family NAME",
		Short: "Show from which lines of which files a number follows, and by which rule",
		Long: "Show the receipt of a number: its rule, the formula with the numbers put in, and for each input every\n" +
			"line that states it, which one counts and why the others do not. The command asks the API at --url.\n" +
			"The key is that in --key-file, or in CUOTA_API_KEY.",
		Example: "  cuota explain --series 1161378270\n" +
			"  cuota explain --series 1161378270 --window 1y --date 2025-07-18 --valuation real_uf\n" +
			"  cuota explain --series 1161378270 --window 1y --basis total\n" +
			"  cuota explain --series 1161378270 --field tac --check data/archive\n" +
			"  cuota explain --family 'Balanceado moderado' --date 2025-07-18",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if asked.Series == "" && asked.Family == "" {
				return exit.Lacking(command, "give the id of a series with --series, or a family with --family")
			}
			if files != "" { // before the question, because the checker would say that no file has the hash
				if _, err := os.ReadDir(files); err != nil {
					return fmt.Errorf("--check: %w", err)
				}
			}
			switch {
			case asked.Field != "":
			case asked.Window != "":
				asked.Field = "return"
			case asked.Family != "":
				asked.Field = "index"
			}
			api, err := service.Client(s, "cuota-explain/"+version)
			if err != nil {
				return err
			}
			defer api.CloseIdleConnections()
			ctx, out := command.Context(), command.OutOrStdout()
			write := writeText
			if asJSON {
				write = writeAnswer
			}
			answer, err := write(ctx, api, asked, out)
			if err != nil || files == "" {
				return err
			}
			if asJSON {
				out = command.ErrOrStderr() // standard output has the receipt alone
			} else if _, err := fmt.Fprintf(out, "\nCheck with the files in %s\n", files); err != nil {
				return err
			}
			return check(ctx, answer, files, out)
		},
	}
	flags := command.Flags()
	service.AddFlags(flags)
	flags.StringVar(&asked.Series, "series", "", "id of the series; the search of the pages and of the API finds it")
	flags.StringVar(&asked.Family, "family", "", "name of a family, to explain its index")
	flags.StringVar(&asked.Currency, "currency", "", "of an index: PESOS or DOLAR (default the one in which the family holds most equity)")
	flags.StringVar(&asked.Field, "field", "", "price, return, tac, or a figure of risk such as volatility_annualized_12m or max_drawdown_36m, or of a family index or index_change (default price, return if there is --window, index if there is --family)")
	flags.StringVar(&asked.Window, "window", "", "window of a return, such as 1y")
	flags.StringVar(&asked.Valuation, "valuation", "",
		"of a return: clp, in pesos, or real_uf, above UF (default accounting, in the currency of the series)")
	flags.StringVar(&asked.Basis, "basis", "",
		"of a return: total, with distributions reinvested (default price, of the quota)")
	flags.StringVar(&asked.Date, "date", "", "day of the quota or end of the window, as in 2025-07-18 (default the cutoff; of a tac or a figure of risk, the month of the newest; of an index its newest point)")
	flags.StringVar(&asked.KnownAt, "known-at", "", "explain the number as it was known at this day or instant")
	flags.StringVar(&asked.BatchID, "batch-id", "", "explain the number of this batch, which must be kept")
	flags.BoolVar(&asJSON, "json", false, "print the answer of the API as it is, on one line")
	flags.StringVar(&files, "check", "",
		"also recompute the receipt with verify/receipt.py from the files in `DIR`; needs python3")
	for name, values := range map[string][]string{"field": {"price", "return", "tac", "volatility_monthly_12m", "volatility_monthly_36m",
		"volatility_annualized_12m", "volatility_annualized_36m", "max_drawdown_36m", "index", "index_change"}, "window": model.Windows,
		"valuation": {"accounting", "clp", "real_uf"}, "basis": {"price", "total"}} {
		if err := command.RegisterFlagCompletionFunc(name,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic("cuota: " + err.Error()) // cannot happen: the flags are declared above
		}
	}
	return command
}

// ask asks for a receipt. Its errors say what to do about them.
func ask(ctx context.Context, api *client.Client, asked client.Explained) (answer []byte, batch string, err error) {
	answer, batch, err = api.Explain(ctx, asked)
	return answer, batch, askedError(ctx, api, err)
}

// askedError says what to do about the error of a question to the API.
func askedError(ctx context.Context, api *client.Client, err error) error {
	refused, answered := errors.AsType[*client.Error](err)
	switch {
	case err == nil:
	case !answered && ctx.Err() == nil:
		return fmt.Errorf("ask %s: %w; check that cuota runs there, or give its address with --url", api, err)
	case answered && refused.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w Name the file with the key with --key-file, or set CUOTA_API_KEY", err)
	}
	return err
}

// writeAnswer writes the answer of the API as it is, as a line.
func writeAnswer(ctx context.Context, api *client.Client, asked client.Explained, out io.Writer) ([]byte, error) {
	answer, _, err := ask(ctx, api, asked)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(out, "%s\n", answer)
	return answer, err
}

// writeText writes a receipt for a person, and returns the answer of the API.
func writeText(ctx context.Context, api *client.Client, asked client.Explained, out io.Writer) ([]byte, error) {
	answer, batch, err := ask(ctx, api, asked)
	if err != nil {
		return nil, err
	}
	var item struct {
		Data struct {
			Attributes receipt.Receipt `json:"attributes"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &item); err != nil {
		return nil, fmt.Errorf("the answer of the API is no receipt: %w", err)
	}
	made := &item.Data.Attributes
	// Receipts lack the name of the fund. Without it the text still names RUN and series.
	fund := ""
	if made.Subject.Family == nil {
		found, err := api.Search(ctx, made.Subject.Series, 1, 0, batch)
		if err == nil && len(found.Series) == 1 {
			// A fund is called by its RUN until the register is here.
			if of := found.Series[0]; of.Run == made.Subject.RUN && of.FundName != of.Run {
				fund = of.FundName
			}
		}
	}
	text, err := textOf(made, fund, batch)
	if err != nil {
		return nil, fmt.Errorf("the answer of the API is no receipt: %w", err)
	}
	_, err = io.WriteString(out, text)
	return answer, err
}

// check has Python recompute a receipt from the files of a directory. What it finds is written to out.
func check(ctx context.Context, answer []byte, files string, out io.Writer) error {
	// -I: no module of the working directory replaces one of Python.
	checker := exec.CommandContext(ctx, "python3", "-I", "-X", "utf8", "-c", verify.Program, "-", files)
	checker.Stdin, checker.Env = bytes.NewReader(answer), withoutOurs(os.Environ())
	said, err := checker.CombinedOutput()
	for line := range strings.Lines(string(said)) { // of texts that the server sent
		if _, err := fmt.Fprintln(out, output.Visible(strings.TrimRight(line, "\r\n"))); err != nil {
			return err
		}
	}
	ended, is := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("--check needs Python 3.9 or later: %w", err)
	case !is || ctx.Err() != nil:
		return err
	case ended.ExitCode() == 1 && bytes.Contains(said, []byte(" of them wrong")):
		return fmt.Errorf("--check: the files in %s do not confirm the receipt; the checker says why above", files)
	}
	return errors.New("--check: the receipt was not checked; the checker says why above")
}

// withoutOurs leaves our own variables, of which one is the key, out of an environment.
func withoutOurs(environment []string) []string {
	return slices.DeleteFunc(environment, func(each string) bool { return strings.HasPrefix(each, "CUOTA_") })
}

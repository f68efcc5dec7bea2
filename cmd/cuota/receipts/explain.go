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
	var asJSON, withPeers bool
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
			"  cuota explain --series 1161378270 --field rank --window 1y --check data/archive\n" +
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
			if withPeers && !asJSON && files == "" {
				return exit.Lacking(command, "give --json or --check with --with-peers")
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
			answer, batch, err := write(ctx, api, asked, out)
			if err != nil || files == "" && !withPeers {
				return err
			}
			given, err := peersOf(ctx, api, asked, answer, batch, withPeers)
			if err != nil {
				return err
			}
			if asJSON && withPeers {
				for _, each := range given {
					if _, err := fmt.Fprintf(out, "%s\n", each); err != nil {
						return err
					}
				}
			}
			if files == "" {
				return nil
			}
			given = append([]json.RawMessage{answer}, given...)
			if asJSON {
				out = command.ErrOrStderr() // standard output has what the API answers alone
			} else if _, err := fmt.Fprintf(out, "\nCheck with the files in %s\n", files); err != nil {
				return err
			}
			return check(ctx, given, files, out)
		},
	}
	flags := command.Flags()
	service.AddFlags(flags)
	flags.StringVar(&asked.Series, "series", "", "id of the series; the search of the pages and of the API finds it")
	flags.StringVar(&asked.Family, "family", "", "name of a family, to explain its index or, with --field rank, the place of the series in it")
	flags.StringVar(&asked.Currency, "currency", "", "of an index: PESOS or DOLAR (default the one in which the family holds most equity)")
	flags.StringVar(&asked.Field, "field", "", "price, return, rank, tac, or a figure of risk such as volatility_annualized_12m, max_drawdown_36m or risk_score, or of a family index or index_change (default price, return if there is --window, index if there is --family)")
	flags.StringVar(&asked.Window, "window", "", "window of a return or a rank, such as 1y")
	flags.StringVar(&asked.Valuation, "valuation", "",
		"of a return: clp, in pesos, or real_uf, above UF (default accounting, in the currency of the series)")
	flags.StringVar(&asked.Basis, "basis", "",
		"of a return: total, with distributions reinvested (default price, of the quota)")
	flags.StringVar(&asked.Date, "date", "", "day of the quota or end of the window, as in 2025-07-18 (default the cutoff; of a tac or a figure of risk, the month of the newest; of an index its newest point)")
	flags.StringVar(&asked.KnownAt, "known-at", "", "explain the number as it was known at this day or instant")
	flags.StringVar(&asked.BatchID, "batch-id", "", "explain the number of this batch, which must be kept")
	flags.BoolVar(&asJSON, "json", false, "print the answer of the API as it is, on one line (one for each answer with --with-peers)")
	flags.BoolVar(&withPeers, "with-peers", false,
		"of a rank or a risk_score, also ask for the list of its peers and the receipts of their values, and print or check them")
	flags.StringVar(&files, "check", "",
		"also recompute the receipt with verify/receipt.py from the files in `DIR`; needs python3")
	for name, values := range map[string][]string{"field": {"price", "return", "rank", "tac", "volatility_monthly_12m", "volatility_monthly_36m",
		"volatility_annualized_12m", "volatility_annualized_36m", "max_drawdown_36m", "risk_score", "index", "index_change"}, "window": model.Windows,
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
func writeAnswer(ctx context.Context, api *client.Client, asked client.Explained,
	out io.Writer) (answer []byte, batch string, err error) {
	if answer, batch, err = ask(ctx, api, asked); err != nil {
		return nil, "", err
	}
	_, err = fmt.Fprintf(out, "%s\n", answer)
	return answer, batch, err
}

// explainedItem is an answer with a receipt.
type explainedItem struct {
	Data struct {
		Attributes receipt.Receipt `json:"attributes"`
	} `json:"data"`
}

// peersOf returns the answer of the API with the list of the peers of a receipt, if it has peers, and if they are asked
// for too the receipts of their values, from the same batch.
func peersOf(ctx context.Context, api *client.Client, asked client.Explained, answer []byte, batch string,
	withReceipts bool) ([]json.RawMessage, error) {
	var item explainedItem
	if err := json.Unmarshal(answer, &item); err != nil {
		return nil, fmt.Errorf("the answer of the API is no receipt: %w", err)
	}
	made := &item.Data.Attributes
	if made.Peers == nil {
		return nil, nil
	}
	asked.BatchID, asked.KnownAt = batch, ""
	text, err := api.Peers(ctx, asked)
	if err != nil || !withReceipts {
		return []json.RawMessage{text}, askedError(ctx, api, err)
	}
	var list struct {
		Data struct {
			Attributes receipt.List `json:"attributes"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("the answer of the API is no list of peers: %w", err)
	}
	given := []json.RawMessage{text}
	for _, peer := range list.Data.Attributes.Peers {
		for _, field := range made.Peers.Fields {
			of, _, err := ask(ctx, api, client.Explained{Series: peer.Series, Field: field, Window: asked.Window,
				Date: made.Subject.Date.String(), BatchID: batch})
			if err != nil {
				return nil, err
			}
			given = append(given, of)
		}
	}
	return given, nil
}

// writeText writes a receipt for a person, and returns the answer of the API.
func writeText(ctx context.Context, api *client.Client, asked client.Explained,
	out io.Writer) (answer []byte, batch string, err error) {
	if answer, batch, err = ask(ctx, api, asked); err != nil {
		return nil, "", err
	}
	var item explainedItem
	if err := json.Unmarshal(answer, &item); err != nil {
		return nil, "", fmt.Errorf("the answer of the API is no receipt: %w", err)
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
		return nil, "", fmt.Errorf("the answer of the API is no receipt: %w", err)
	}
	_, err = io.WriteString(out, text)
	return answer, batch, err
}

// check has Python recompute receipts, with the lists of their peers, from the files of a directory. What it finds is
// written to out.
func check(ctx context.Context, given []json.RawMessage, files string, out io.Writer) error {
	// -I: no module of the working directory replaces one of Python.
	checker := exec.CommandContext(ctx, "python3", "-I", "-X", "utf8", "-c", verify.Program, "-", files)
	var lines bytes.Buffer
	for _, each := range given {
		lines.Write(append(bytes.TrimSpace(each), '\n'))
	}
	checker.Stdin, checker.Env = &lines, withoutOurs(os.Environ())
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

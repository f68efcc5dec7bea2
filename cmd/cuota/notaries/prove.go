package notaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/internal/notary"
	"cuota/sql"
)

// proveOrder holds the arguments of the command.
type proveOrder struct {
	data  string
	batch string
	file  string // hash
	since string // path of a checkpoint
	out   string // path; "": standard output
}

// NewProve returns the command cuota prove.
func NewProve(s environment.Settings) *cobra.Command {
	var order proveOrder
	command := &cobra.Command{
		Use:   "prove --batch ID | --file SHA256",
		Short: "Write a proof that a batch or a file is in the log of published batches",
		Long: "Write a proof that a batch or a file is in the log of published batches, as of its newest checkpoint. Whoever\n" +
			"has kept a checkpoint checks it with cuota check-proof or verify/proof.py. The proof of a file is about the\n" +
			"first batch of the log that has it. With --since, the proof also shows that the log only grew since an\n" +
			"older checkpoint.",
		Example: "  cuota prove --batch 20250718-4-0f3a9b7c2d11 --out proof.json\n" +
			"  cuota prove --batch 20250718-4-0f3a9b7c2d11 --since checkpoint.txt --out proof.json",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if (order.batch == "") == (order.file == "") {
				return exit.Lacking(command, "give the name of a batch with --batch, or the hash of a file with --file")
			}
			return runProve(command.Context(), s, order, command.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_KAFKA is set)")
	flags.StringVar(&order.batch, "batch", "", "name of the batch (batch_id)")
	flags.StringVar(&order.file, "file", "", "sha256 of the file, hex")
	flags.StringVar(&order.since, "since", "", "file with an older checkpoint of the same log")
	flags.StringVar(&order.out, "out", "", "file to write the proof to (default standard output)")
	return command
}

func runProve(ctx context.Context, s environment.Settings, order proveOrder, out io.Writer) error {
	dir, err := Directory(s, order.data)
	if err != nil {
		return err
	}
	if dir == "" {
		return errors.New("there is no log of batches: set CUOTA_NOTARY to its directory")
	}
	log, err := notary.Open(dir)
	if err != nil {
		return err
	}
	var made *notary.Proof
	if order.batch != "" {
		made, err = log.Prove(order.batch)
	} else {
		quiet := s.Logger().Level(zerolog.ErrorLevel)
		err = connect.With(ctx, s, order.data, quiet, connect.ToRead, func(target *connect.Target) (err error) {
			made, err = proveFile(ctx, log, target, order.file)
			return err
		})
	}
	if err != nil {
		return err
	}
	if order.since != "" {
		older, err := notary.ReadCheckpoint(order.since)
		if err != nil {
			return fmt.Errorf("--since: %w", err)
		}
		if err := log.ProveSince(made, older); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
	}
	text, err := made.Encode()
	if err != nil {
		return err
	}
	if order.out == "" {
		_, err = out.Write(text)
		return err
	}
	if err := os.WriteFile(order.out, text, 0o644); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// proveFile makes a proof about the first batch of the log that has a file.
func proveFile(ctx context.Context, log *notary.Log, target *connect.Target, sha256 string) (*notary.Proof, error) {
	batches, err := sql.Select[struct {
		Batch uint64 `ch:"batch"`
		ID    string `ch:"batch_id"`
	}](ctx, target.Conn, "batches_of_file", clickhouse.Parameters{"sha256": sha256}, "query the batches of the file")
	if err != nil {
		return nil, err
	}
	for _, batch := range batches {
		made, err := log.Prove(batch.ID)
		if errors.Is(err, notary.ErrNotInLog) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files, err := NewSource(target.Conn, nil).Files(ctx, batch.Batch)
		if err != nil {
			return nil, err
		}
		return made, made.WithFile(sha256, files)
	}
	return nil, fmt.Errorf("no batch of the log has a file with the hash %.80q: give its sha256 in lower case, and see "+
		"with cuota status whether the log has the newest batch", sha256)
}

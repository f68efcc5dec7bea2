package notaries

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/exit"
	"cuota/internal/notary"
)

// checkOrder holds the arguments of the command.
type checkOrder struct {
	proof string // path; "-": standard input
	kept  string // path of a checkpoint
	key   string
}

// NewCheckProof returns the command cuota check-proof.
func NewCheckProof() *cobra.Command {
	var order checkOrder
	command := &cobra.Command{
		Use:   "check-proof FILE",
		Short: "Check a proof that a batch was published, best against a checkpoint that you have kept",
		Long: "Check a proof of the log of published batches. It asks nobody. With --checkpoint, the proof must fit the\n" +
			"checkpoint that you have kept; with --key, it must be of the log with this key. FILE may be - for standard input. The exit status\n" +
			"is 0 if the proof is right, and 1 if anything is wrong.",
		Args: exit.OneArgument("give the file with the proof, or - for standard input"),
		RunE: func(command *cobra.Command, args []string) error {
			order.proof = args[0]
			return runCheckProof(order, command.InOrStdin(), command.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.kept, "checkpoint", "", "file with a checkpoint that you have kept")
	flags.StringVar(&order.key, "key", "", "key of the log, as /log/key has it")
	return command
}

func runCheckProof(order checkOrder, in io.Reader, out io.Writer) error {
	if order.proof != "-" {
		file, err := os.Open(order.proof)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, notary.MaxProof+1))
	if err != nil {
		return err
	}
	var kept []byte
	if order.kept != "" {
		if kept, err = notary.ReadCheckpoint(order.kept); err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
	}
	found, err := notary.Check(text, kept, order.key)
	if err != nil {
		return fmt.Errorf("the proof is wrong: %w", err)
	}
	cutoff := "no complete day"
	if found.Leaf.AsOf != "" {
		cutoff = "cutoff " + found.Leaf.AsOf
	}
	fmt.Fprintf(out, "batch %s is leaf %d of the log %s, which has %d leaves\n", found.Leaf.BatchID, found.Index,
		found.Checkpoint.Origin, found.Checkpoint.Size)
	fmt.Fprintf(out, "  %s, %d files, %d tables\n", cutoff, found.Leaf.Files.Count, len(found.Leaf.Tables))
	if found.File != nil {
		fmt.Fprintf(out, "file %s of %s is one of its files\n", found.File.SHA256, found.File.Dataset)
	}
	fmt.Fprintf(out, "signed with the key %s\n", found.Key)
	if kept == nil && order.key == "" {
		fmt.Fprintln(out, "Only the proof itself says that this is the right key: give --checkpoint or --key with what you "+
			"have kept.")
	}
	return nil
}

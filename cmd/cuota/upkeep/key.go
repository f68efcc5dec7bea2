package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/internal/account"
)

// NewKey returns the command cuota key.
func NewKey(s environment.Settings) *cobra.Command {
	var data string
	key := &cobra.Command{Use: "key", Short: "Create, rotate, list and revoke API keys, and replace the pepper"}
	key.PersistentFlags().StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_ACCOUNTS is set)")
	key.AddCommand(newKeyCreate(s, &data), newKeyRotate(s, &data), newKeyList(s, &data), newKeyRevoke(s, &data),
		newKeyReplacePepper(s, &data), newKeyInit(s, &data))
	return key
}

func newKeyCreate(s environment.Settings, data *string) *cobra.Command {
	var email, tier, name, scopes string
	var quota int64
	create := &cobra.Command{
		Use:   "create --email ADDRESS",
		Short: "Create an API key and print only the key to stdout",
		Long: "Create an API key and print only the key to stdout. It can't be shown again, because only its hash is " +
			"stored.\n\n" +
			"An earlier key of the same address, tier and name stops working, and its links end: cuota key rotate\n" +
			"replaces a key without that. Of the tier free an address has one key, whatever its name.\n\n" +
			"--scopes limits what a key of another tier is for:\n" +
			"  read       every operation with data, except those below\n" +
			"  bulk       the files of /api/bulk\n" +
			"  backtests  POST /api/backtests\n" +
			"  mcp        tools for language models at /mcp; what they ask needs read, and backtests for the tool backtest",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if email == "" {
				return exit.Lacking(command, "give the address of the key's owner with --email")
			}
			options := []account.KeyOption{account.Named(name)}
			if command.Flags().Changed("quota") {
				options = append(options, account.OwnQuota(quota))
			}
			if command.Flags().Changed("scopes") {
				of, err := account.ParseScopes(scopes)
				if err != nil {
					return err
				}
				if of == "" { // a variable of a script that is empty must not give everything
					return exit.Lacking(command, "give at least one scope with --scopes, or leave it out for all")
				}
				options = append(options, account.ForScopes(of))
			}
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				plaintext, _, err := store.CreateKey(command.Context(), email, account.Tier(tier), options...)
				if err != nil {
					return err
				}
				return printKey(command.OutOrStdout(), plaintext)
			})
		},
	}
	flags := create.Flags()
	flags.StringVar(&email, "email", "", "address of the key's owner")
	flags.StringVar(&tier, "tier", string(account.Free),
		"free (300 requests a day), institutional (25,000) or internal (no limit)")
	flags.StringVar(&name, "name", "", "name of the key, for lists and cuota key rotate")
	flags.StringVar(&scopes, "scopes", "", "what the key is for: some of read, bulk, backtests and mcp, with a comma "+
		"between them (default everything)")
	flags.Int64Var(&quota, "quota", 0, "requests a day, in place of those of the tier")
	tiers := []string{string(account.Free), string(account.Institutional), string(account.Internal)}
	if err := create.RegisterFlagCompletionFunc("tier",
		cobra.FixedCompletions(tiers, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("cuota: " + err.Error()) // cannot happen: the flag is declared above
	}
	return create
}

func newKeyRotate(s environment.Settings, data *string) *cobra.Command {
	var overlap time.Duration
	rotate := &cobra.Command{
		Use:   "rotate NAME|ID|ADDRESS|LAST4",
		Short: "Replace a key of the tier institutional or internal, and print only the new key to stdout",
		Long: "Replace a key of the tier institutional or internal, and print only the new key to stdout. It has the " +
			"owner, name,\n" +
			"tier, quota and scopes of the old one, and links follow to it. The old key works until the overlap ends, and\n" +
			"requests of both count together. With --overlap 0 the old key is revoked at once. Keys that earlier rotations\n" +
			"have replaced end no later. If several keys match, none is replaced.",
		Args: exit.OneArgument("give the name of a key, its id, its owner's address or its last four characters; cuota " +
			"key list shows them"),
		RunE: func(command *cobra.Command, args []string) error {
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				plaintext, _, old, err := store.RotateKey(command.Context(), args[0], overlap)
				if err != nil {
					return err
				}
				if err := printKey(command.OutOrStdout(), plaintext); err != nil {
					return err
				}
				until := "is revoked"
				if old.RevokedAt == nil {
					until = "works until " + old.ExpiresAt.Format(time.RFC3339)
				}
				_, err = fmt.Fprintf(command.ErrOrStderr(), "the old key …%s (%s) of %s %s\n", old.Last4, old.Tier, old.Email,
					until)
				return err
			})
		},
	}
	rotate.Flags().DurationVar(&overlap, "overlap", 24*time.Hour,
		fmt.Sprintf("how long the old key still works, from 0 to %dh", int(account.MaxOverlap.Hours())))
	return rotate
}

func newKeyList(s environment.Settings, data *string) *cobra.Command {
	var all bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List the active keys with their owners and their requests of today",
		Long: "List the active keys by owner: id, last four characters, address, name, tier, scopes, when each was created\n" +
			"(UTC), the day on which it was used last (Santiago), when it ends (UTC), and the requests counted today\n" +
			"(Santiago) with the daily limit. Keys that replaced each other count together. Servers lease a few requests\n" +
			"ahead, so the count can be higher than the requests made. The keys themselves are not stored.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				keys, err := store.OwnedKeys(command.Context(), time.Now(), all)
				if err != nil {
					return err
				}
				return tellKeys(command.OutOrStdout(), keys)
			})
		},
	}
	list.Flags().BoolVar(&all, "all", false, "list revoked and expired keys too")
	return list
}

func newKeyRevoke(s environment.Settings, data *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID|NAME|ADDRESS|LAST4",
		Short: "Revoke a key",
		Long: "Revoke the active key with this id or name, of this address, or with these last four characters. If several\n" +
			"keys match, none is revoked. Servers refuse the key within about a second.",
		Args: exit.OneArgument("give the id of a key, its name, its owner's address or its last four characters; cuota " +
			"key list shows them"),
		RunE: func(command *cobra.Command, args []string) error {
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				key, err := store.RevokeKey(command.Context(), args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(command.OutOrStdout(), "revoked the key …%s (%s) of %s\n", key.Last4, key.Tier, key.Email)
				return nil
			})
		},
	}
}

func newKeyReplacePepper(s environment.Settings, data *string) *cobra.Command {
	var sure bool
	replace := &cobra.Command{
		Use:   "replace-pepper --revoke-all",
		Short: "Replace the pepper, the secret that keys are hashed with, which revokes every key",
		Long: "Replace the pepper, the secret that keys are hashed with. Do this if others may have read it, or if " +
			"it is\n" +
			"lost. Every key is revoked, everybody is signed out, links in mails stop working, and mails in the " +
			"outbox\n" +
			"are not sent. Accounts, watchlists and preferences stay. Stop cuota up first, and every cuota query.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if !sure {
				return exit.Lacking(command, "this revokes every key: confirm with --revoke-all")
			}
			return runReplacePepper(command.Context(), s, *data, command.OutOrStdout())
		},
	}
	replace.Flags().BoolVar(&sure, "revoke-all", false, "revoke every key")
	return replace
}

func newKeyInit(s environment.Settings, data *string) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Begin an empty account store with an existing pepper",
		Long: "Begin an empty account store with an existing pepper, as when accounts move to PostgreSQL. cuota up " +
			"and cuota query\n" +
			"refuse a pepper without its store, because then the store was probably lost. If the store has this " +
			"pepper already,\n" +
			"nothing changes.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			address, pepper, _, err := connect.AccountsAt(s, *data)
			if err != nil {
				return err
			}
			store, err := account.Init(command.Context(), address, pepper,
				account.WithConnections(s.AccountsConnections))
			if err != nil {
				return err
			}
			fmt.Fprintf(command.OutOrStdout(), "the account store uses the pepper %s\n", pepper)
			return store.Close()
		},
	}
}

func runReplacePepper(ctx context.Context, s environment.Settings, data string, out io.Writer) (err error) {
	address, pepper, dir, err := connect.AccountsAt(s, data)
	if err != nil {
		return err
	}
	if dir != nil {
		if err := dir.Take(); errors.Is(err, datadir.ErrHeld) {
			return fmt.Errorf("%w: stop it first, because it still uses the old pepper", err)
		} else if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, dir.Release()) }()
	}
	revoked, err := account.ReplacePepper(ctx, address, pepper)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "replaced the pepper %s and revoked %d keys; their owners need new keys\n", pepper, revoked)
	return nil
}

// tellKeys prints one line for each key.
func tellKeys(out io.Writer, keys []account.OwnedKey) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "id\tlast four\taddress\tname\ttier\tscopes\tcreated\tlast used\tends\ttoday")
	for _, key := range keys {
		ends, limit := "-", "no limit"
		switch {
		case key.RevokedAt != nil:
			ends = "revoked " + key.RevokedAt.Format(time.DateOnly)
		case key.ExpiresAt != nil:
			ends = key.ExpiresAt.Format(time.RFC3339)
		}
		if most := key.Limit(); most != nil {
			limit = strconv.FormatInt(*most, 10)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d of %s\n", key.ID, key.Last4, key.Email,
			cmp.Or(key.Name, "-"), key.Tier, cmp.Or(strings.Join(key.Scopes.Words(), ","), "all"),
			key.CreatedAt.Format(time.DateOnly), cmp.Or(key.UsedOn, "-"), ends, key.Used, limit)
	}
	return table.Flush()
}

// withAccounts opens the account store, runs work with it, and closes it.
func withAccounts(ctx context.Context, s environment.Settings, data string,
	work func(*account.Store) error) (err error) {
	store, err := connect.OpenAccounts(ctx, s, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return work(store)
}

// printKey prints a new key, which can't be shown again.
func printKey(out io.Writer, plaintext string) error {
	if _, err := fmt.Fprintln(out, plaintext); err != nil {
		return fmt.Errorf("the key was created but could not be printed, and it can't be shown again; create "+
			"another: %w", err)
	}
	return nil
}

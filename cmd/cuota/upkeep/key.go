package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
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
	key := &cobra.Command{Use: "key", Short: "Create, list and revoke API keys, and replace the pepper"}
	key.PersistentFlags().StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_ACCOUNTS is set)")
	key.AddCommand(newKeyCreate(s, &data), newKeyList(s, &data), newKeyRevoke(s, &data), newKeyReplacePepper(s, &data),
		newKeyInit(s, &data))
	return key
}

func newKeyCreate(s environment.Settings, data *string) *cobra.Command {
	var email, tier string
	create := &cobra.Command{
		Use:   "create --email ADDRESS",
		Short: "Create an API key and print only the key to stdout",
		Long: "Create an API key and print only the key to stdout. It can't be shown again, because only its hash is " +
			"stored. An\n" +
			"earlier key of the same address and tier stops working.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if email == "" {
				return exit.Lacking(command, "give the address of the key's owner with --email")
			}
			return runKeyCreate(command.Context(), s, *data, email, tier, command.OutOrStdout())
		},
	}
	flags := create.Flags()
	flags.StringVar(&email, "email", "", "address of the key's owner")
	flags.StringVar(&tier, "tier", string(account.Free),
		"free (300 requests a day), institutional (25,000) or internal (no limit)")
	tiers := []string{string(account.Free), string(account.Institutional), string(account.Internal)}
	if err := create.RegisterFlagCompletionFunc("tier",
		cobra.FixedCompletions(tiers, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("cuota: " + err.Error()) // cannot happen: the flag is declared above
	}
	return create
}

func newKeyList(s environment.Settings, data *string) *cobra.Command {
	var all bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List the active keys with their owners and their requests of today",
		Long: "List the active keys by owner: id, last four characters, address, tier, dates (UTC), and the requests " +
			"counted\n" +
			"today (Santiago) with the daily limit. Servers lease a few requests ahead, so the count can be higher " +
			"than\n" +
			"the requests made. The keys themselves are not stored.",
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
	list.Flags().BoolVar(&all, "all", false, "list revoked keys too")
	return list
}

func newKeyRevoke(s environment.Settings, data *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID|ADDRESS|LAST4",
		Short: "Revoke a key",
		Long: "Revoke the active key with this id, of this address, or with these last four characters. If several\n" +
			"keys match, none is revoked. Servers refuse the key within about a second.",
		Args: exit.OneArgument("give the id of a key, its owner's address or its last four characters; cuota key " +
			"list shows them"),
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
	fmt.Fprintln(table, "id\tlast four\taddress\ttier\tcreated\trevoked\ttoday")
	for _, key := range keys {
		revoked, limit := "-", "no limit"
		if key.RevokedAt != nil {
			revoked = key.RevokedAt.Format(time.DateOnly)
		}
		if most := key.Limit(); most != nil {
			limit = strconv.FormatInt(*most, 10)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%d of %s\n",
			key.ID, key.Last4, key.Email, key.Tier, key.CreatedAt.Format(time.DateOnly), revoked, key.Used, limit)
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

func runKeyCreate(ctx context.Context, s environment.Settings, data, email, tier string, out io.Writer) error {
	return withAccounts(ctx, s, data, func(store *account.Store) error {
		plaintext, _, err := store.CreateKey(ctx, email, account.Tier(tier))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, plaintext); err != nil {
			return fmt.Errorf("the key was created but could not be printed, and it can't be shown again; create "+
				"another: %w", err)
		}
		return nil
	})
}

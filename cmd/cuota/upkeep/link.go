package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/internal/account"
	"cuota/internal/httpapi"
)

// NewLink returns the command cuota link.
func NewLink(s environment.Settings) *cobra.Command {
	var data string
	link := &cobra.Command{Use: "link",
		Short: "Make, list and revoke links to addresses of the API, for programs that can't send a header"}
	link.PersistentFlags().StringVar(&data, "data", "",
		"data directory, even while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_ACCOUNTS is set)")
	link.AddCommand(newLinkCreate(s, &data), newLinkList(s, &data), newLinkRevoke(s, &data))
	return link
}

// mostDays is how many days a link answers at most.
const mostDays = int(account.MaxLinkLife / (24 * time.Hour))

func newLinkCreate(s environment.Settings, data *string) *cobra.Command {
	var key string
	var days int
	create := &cobra.Command{
		Use:   "create PATH --key ID|NAME|EMAIL|LAST4",
		Short: "Make a link to one address of the API and print only the link to stdout",
		Long: "Make a link to one address of the API with its parameters, and print only the link to stdout:\n" +
			"  cuota link create '/api/screener?sort=tac&format=xlsx' --key ana@example.cl\n" +
			"Whoever has the link gets this address and no other, without a key. Its requests are counted on the key,\n" +
			"which is not in it. It can't be shown again, because only its hash is stored. The link begins with\n" +
			"CUOTA_BASE_URL; without it the address of the service goes before it. It ends with its key: when that is\n" +
			"revoked or replaced. cuota key rotate moves it to the new key.",
		Args: exit.OneArgument("give the path of the API with its parameters, in quotes"),
		RunE: func(command *cobra.Command, args []string) error {
			if key == "" {
				return exit.Lacking(command, "give the key on which the link is counted with --key; cuota key list shows it")
			}
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				return createLink(command.Context(), store, s, key, args[0], days, command.OutOrStdout())
			})
		},
	}
	flags := create.Flags()
	flags.StringVar(&key, "key", "", "id of the key, its name, its owner's address or its last four characters")
	flags.IntVar(&days, "days", 365, fmt.Sprintf("how many days the link answers, at most %d", mostDays))
	return create
}

func createLink(ctx context.Context, store *account.Store, s environment.Settings, key, address string, days int,
	out io.Writer) error {
	if days < 1 || days > mostDays {
		return fmt.Errorf("--days must be from 1 to %d", mostDays)
	}
	token, _, err := store.CreateAddressLink(ctx, key, address, time.Duration(days)*24*time.Hour)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, s.BaseURL+httpapi.LinkPath+token)
	return err
}

func newLinkList(s environment.Settings, data *string) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the links that answer, with the keys on which they are counted",
		Long: "List the links that answer, by the owner of the key: id, address, the key's last four characters, dates " +
			"(UTC), and the day on\nwhich each was followed last (Santiago). The links themselves are not stored.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				links, err := store.AddressLinks(command.Context())
				if err != nil {
					return err
				}
				table := tabwriter.NewWriter(command.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(table, "id\towner\tkey\tcreated\texpires\tlast used\taddress")
				for _, l := range links {
					fmt.Fprintf(table, "%s\t%s\t…%s\t%s\t%s\t%s\t%s\n", l.ID, l.Email, l.KeyLast4,
						l.CreatedAt.Format(time.DateOnly), l.ExpiresAt.Format(time.DateOnly), cmp.Or(l.UsedOn, "-"),
						l.Address)
				}
				return table.Flush()
			})
		},
	}
}

func newLinkRevoke(s environment.Settings, data *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a link",
		Long:  "Revoke the link with this id. Servers refuse it at once.",
		Args:  exit.OneArgument("give the id of a link; cuota link list shows it"),
		RunE: func(command *cobra.Command, args []string) error {
			return withAccounts(command.Context(), s, *data, func(store *account.Store) error {
				if err := store.RevokeAddressLink(command.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintln(command.OutOrStdout(), "revoked the link "+args[0])
				return err
			})
		},
	}
}

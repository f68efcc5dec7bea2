package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"cuota/internal/account"
)

func newKey(s settings) *cobra.Command {
	key := &cobra.Command{Use: "key", Short: "API keys"}
	var data, email, tier string
	create := &cobra.Command{
		Use:   "create --email ADDRESS",
		Short: "Make an API key and print it, alone, on stdout",
		Long: "Make an API key and print it, alone, on stdout. It is shown this once: only its hash is kept. An earlier\n" +
			"key of the same address and tier stops working.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return runKeyCreate(command.Context(), s, data, email, tier, command.OutOrStdout())
		},
	}
	flags := create.Flags()
	flags.StringVar(&email, "email", "", "address of the key's owner")
	flags.StringVar(&tier, "tier", string(account.Free), "free (300 requests a day), institutional (25,000) or internal (no limit)")
	flags.StringVar(&data, "data", "", "data directory, also while cuota up runs on it (default $CUOTA_DATA or ./data, unless CUOTA_ACCOUNTS is set)")
	if err := create.MarkFlagRequired("email"); err != nil {
		panic("cuota: " + err.Error()) // the flag is declared above
	}
	key.AddCommand(create)
	return key
}

func runKeyCreate(ctx context.Context, s settings, data, email, tier string, out io.Writer) (err error) {
	store, err := openAccounts(ctx, s, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	plaintext, _, err := store.CreateKey(ctx, email, account.Tier(tier))
	if err != nil {
		return fmt.Errorf("create a key: %w", err)
	}
	if _, err := fmt.Fprintln(out, plaintext); err != nil {
		return fmt.Errorf("the key was made and could not be printed, so it is lost; make another: %w", err)
	}
	return nil
}

// openAccounts opens the account store: that of a data directory, or the one
// that the environment names. Several processes may have it open.
func openAccounts(ctx context.Context, s settings, data string) (*account.Store, error) {
	address, pepper := s.Accounts, s.Pepper
	if data != "" || !s.separate() {
		if data == "" {
			data = s.Data
		}
		dir, err := openDirectory(data)
		if err != nil {
			return nil, err
		}
		address, pepper = dir.accounts(), dir.pepper()
	} else if err := s.require("CUOTA_ACCOUNTS", "CUOTA_PEPPER"); err != nil {
		return nil, err
	}
	secret, err := account.LoadPepper(pepper)
	if err != nil {
		return nil, fmt.Errorf("load the pepper of the account store: %w", err)
	}
	store, err := account.Open(ctx, address, secret)
	if err != nil {
		return nil, fmt.Errorf("open the account store: %w", err)
	}
	return store, nil
}

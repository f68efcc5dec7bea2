package connect

import (
	"cmp"
	"context"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/internal/account"
)

// OpenAccounts opens the account store of a data directory, or the one that the
// environment names. Several processes may have it open at once.
func OpenAccounts(ctx context.Context, s environment.Settings, data string) (*account.Store, error) {
	address, pepper, _, err := AccountsAt(s, data)
	if err != nil {
		return nil, err
	}
	return account.OpenAt(ctx, address, pepper, account.WithConnections(s.AccountsConnections))
}

// AccountsAt returns the address of the account store and the path of its pepper. dir is
// nil if the environment names them.
func AccountsAt(s environment.Settings, data string) (address, pepper string, dir *datadir.Directory, err error) {
	if data != "" || !s.Separate() {
		if dir, err = datadir.Open(cmp.Or(data, s.Data)); err != nil {
			return "", "", nil, err
		}
		return dir.Accounts(), dir.Pepper(), dir, nil
	}
	if err := s.Require("CUOTA_ACCOUNTS", "CUOTA_PEPPER"); err != nil {
		return "", "", nil, environment.OrData(err)
	}
	return s.Accounts, s.Pepper, nil, nil
}

package account

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cuota/internal/durable"
)

// ErrStoreLost says that a pepper exists, but the store that it belongs to is missing or empty.
var ErrStoreLost = errors.New(
	"the account store is missing or empty, but its pepper exists: restore the store from a backup " +
		"(docs/operations.md, \"Accounts alone\"); to begin an empty store with this pepper, run cuota key init")

// OpenAt opens the store at dsn with the pepper in the file at path. If neither exists, it makes
// both: the pepper gets its name only after the store knows it. So a pepper without its store is
// never the rest of a first start that was killed, but a store that was lost, and OpenAt fails
// with ErrStoreLost. Several processes may call it at once.
func OpenAt(ctx context.Context, dsn, path string, opts ...Option) (*Store, error) {
	pepper, err := readPepper(path)
	if err == nil {
		_ = os.Remove(firstPepper(path)) // of a first start that was killed at its end
		return Open(ctx, dsn, pepper, append(opts, mustExist)...)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the pepper file %s: %w", path, err)
	}
	if pepper, err = LoadPepper(firstPepper(path)); err != nil {
		return nil, err
	}
	// Another process may have given its pepper the name meanwhile.
	if _, err := os.Stat(path); err == nil {
		return OpenAt(ctx, dsn, path, opts...)
	}
	s, err := Open(ctx, dsn, pepper, opts...)
	if err != nil {
		return nil, err
	}
	if err := nameFirstPepper(path); err != nil {
		return nil, errors.Join(fmt.Errorf("create the pepper file %s: %w", path, err), s.Close())
	}
	return s, nil
}

// Init opens the store at dsn with the pepper in the file at path, even if the store is missing
// or empty. It is for a new store that begins with an existing pepper.
func Init(ctx context.Context, dsn, path string, opts ...Option) (*Store, error) {
	pepper, err := readPepper(path)
	if err != nil {
		return nil, fmt.Errorf("read the pepper file %s: %w", path, err)
	}
	return Open(ctx, dsn, pepper, opts...)
}

// firstPepper is the name of a pepper while its store is being made.
func firstPepper(path string) string { return path + ".first" }

// nameFirstPepper gives the first pepper its name, unless another process has done so.
func nameFirstPepper(path string) error {
	if err := os.Link(firstPepper(path), path); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Stat(path); there != nil {
			return err
		}
	}
	if err := os.Remove(firstPepper(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// mustExist makes Open fail with ErrStoreLost if the store has no fingerprint of a pepper.
func mustExist(s *Store) { s.mustExist = true }

// Answers reads one row of the store. It fails if the store does not answer.
func (s *Store) Answers(ctx context.Context) error {
	_, err := within(ctx, s, "ask the account store", func(ctx context.Context) (string, error) {
		var kept string
		err := s.read.QueryRowContext(ctx, statement("fingerprint")).Scan(&kept)
		return kept, err
	})
	return err
}

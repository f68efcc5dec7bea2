package account

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cuota/internal/durable"
)

// pepperLen is the length of a pepper file: 32 random bytes, not encoded.
const pepperLen = 32

// LoadPepper reads the pepper from the file at path, and creates the file if it does not exist.
// The pepper is the secret key of the digests of API keys. It must be stored apart from the
// database and must not be lost: without it, no key in the database is valid any more.
//
// LoadPepper refuses a file that others than its owner may access, and a file of another
// length. If two processes create the file at once, both return the bytes that are in it.
func LoadPepper(path string) ([]byte, error) {
	pepper, err := readPepper(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makePepper(path); err != nil {
			return nil, fmt.Errorf("create the pepper file %s: %w", path, err)
		}
		pepper, err = readPepper(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the pepper file %s: %w", path, err)
	}
	return pepper, nil
}

func readPepper(path string) (_ []byte, err error) {
	// The type is checked before opening too, because opening a pipe would wait for its writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("its mode is %04o, but only its owner may have access: run chmod 600 on it, and "+
			"replace the pepper if others may have read it", mode)
	}
	pepper, err := io.ReadAll(io.LimitReader(f, pepperLen+1))
	if err != nil {
		return nil, err
	}
	if len(pepper) != pepperLen {
		return nil, fmt.Errorf("its length is not %d bytes: restore it from a backup", pepperLen)
	}
	return pepper, nil
}

// CopyPepper copies the pepper file at from to a new file at to. It fails if there is a file at
// to.
func CopyPepper(from, to string) error {
	pepper, err := readPepper(from)
	if err != nil {
		return fmt.Errorf("read the pepper file %s: %w", from, err)
	}
	if err := writePepper(to, pepper); err != nil {
		return fmt.Errorf("write the pepper file %s: %w", to, err)
	}
	return nil
}

// makePepper writes a new pepper to path. It does nothing if another process was faster.
func makePepper(path string) error {
	var pepper [pepperLen]byte
	_, _ = rand.Read(pepper[:]) // never fails: without randomness it ends the program
	err := writePepper(path, pepper[:])
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// writePepper writes a pepper to a temporary file beside path and then links it to path. It
// uses a link instead of a rename, because a link fails if path exists: an existing pepper must
// stay.
func writePepper(path string, pepper []byte) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".pepper-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()

	_, err = f.Write(pepper)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	return durable.SyncFolder(dir)
}

package notary

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Files of the directory of a log, beside the folder tile.
const (
	checkpointName = "checkpoint"
	secretName     = "key"     // signs checkpoints; mode 0600
	publicName     = "key.pub" // verifies them; served at /log/key
	beginName      = "begin"   // an empty file by which an operator asks for a new log
	faultName      = "fault"   // why the process that appends has stopped to, for other processes
	lockName       = "lock"    // held by the process that appends
)

// maxKey is longer than any key, and than any reason in the file fault, in bytes.
const maxKey = 4 << 10

// ReadCheckpoint reads the file of a checkpoint that somebody has kept. It fails if the file is longer than any is.
func ReadCheckpoint(path string) ([]byte, error) { return readBounded(path, maxCheckpoint) }

// readBounded reads a file of at most so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err = errors.Join(err, file.Close()); err == nil && int64(len(content)) > most {
		err = fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return content, err
}

// readKeys reads the keys of a log. Without a secret key the log can be read, and nothing can be appended. It fails
// with ErrNoLog if there is no key.
func (l *Log) readKeys() error {
	secret, err := readBounded(l.path(secretName), maxKey)
	l.hidden = errors.Is(err, fs.ErrPermission) // others may read the log and make proofs
	lost := errors.Is(err, fs.ErrNotExist)
	if err != nil && !lost && !l.hidden {
		return err
	}
	public, err := readBounded(l.path(publicName), maxKey)
	switch {
	case errors.Is(err, fs.ErrNotExist) && lost:
		return ErrNoLog
	case errors.Is(err, fs.ErrNotExist):
		return faultf("%s is missing: put it back from a backup, or as somebody has kept it from /log/key",
			l.path(publicName))
	case err != nil:
		return err
	}
	l.Key = strings.TrimSpace(string(public))
	if l.verifier, err = parseKey(l.Key); err != nil {
		return faultf("%s: %w; put it back from a backup", l.path(publicName), err)
	}
	if lost || l.hidden {
		return nil
	}
	if l.signer, err = note.NewSigner(strings.TrimSpace(string(secret))); err != nil { // its text may have the key
		return faultf("%s is no secret key of a log: put your copy of it back", l.path(secretName))
	}
	if l.signer.Name() != l.verifier.Name() || l.signer.KeyHash() != l.verifier.KeyHash() {
		return faultf("%s is not the secret key of %s: put your copy of the right one back", l.path(secretName),
			l.path(publicName))
	}
	return nil
}

func (l *Log) path(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

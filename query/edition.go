package query

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// edition names all that replies depend on beside batch, day and request: the
// program, the document, and what is configured to be answered.
func (c Config) edition() string {
	kinds := slices.Sorted(slices.Values(c.Returns))
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q ", c.Program, slices.Compact(kinds)) // a hash takes everything
	hash.Write(document)
	return hex.EncodeToString(hash.Sum(nil))
}

// executable is the hash of the running program. It tells builds apart that know
// nothing of their sources, as those of an image do, and is the same on every
// machine that runs the same build.
var executable = sync.OnceValues(func() (_ string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("tell this build from others: %w", err)
		}
	}()
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
})

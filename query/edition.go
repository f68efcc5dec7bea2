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

// edition identifies everything that replies depend on, besides batch, day and request: the
// program, the document, and the configured kinds of returns. It is part of every
// validator.
func (c Config) edition() string {
	kinds := slices.Sorted(slices.Values(c.Returns))
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q ", c.Program, slices.Compact(kinds)) // a hash never fails
	hash.Write(document)
	return hex.EncodeToString(hash.Sum(nil))
}

// executable gives the sha256 of the running program, in hex. It is the same on every
// machine that runs the same build. Builds without version information, such as those in an
// image, can't be told apart in another way.
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

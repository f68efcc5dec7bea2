package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
)

// Executable returns the sha256 of the running program, in hex. It is the same on every
// machine that runs the same build. Builds without version information, such as those in an
// image, can't be told apart in another way.
var Executable = sync.OnceValues(func() (_ string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("compute the id of the program: %w", err)
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

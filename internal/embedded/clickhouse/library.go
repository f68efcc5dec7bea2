package clickhouse

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Release is the release of the engine that scripts/fetch-engine downloads.
const Release = "26.7.3-stable.1"

// ErrNoLibrary says that the engine's library was not found. The errors of Locate wrap it.
var ErrNoLibrary = errors.New("the ClickHouse engine library is missing")

// Locate returns the absolute path of libchdb.so. It is the explicit path if that is not "", else
// the environment's CHDB_LIB_PATH, else the path in the user's cache to which
// scripts/fetch-engine writes. If the file can't be read, the error wraps ErrNoLibrary and says
// what to do.
func Locate(explicit string) (string, error) {
	path, origin := explicit, "configured"
	if path == "" {
		path, origin = os.Getenv("CHDB_LIB_PATH"), "named by CHDB_LIB_PATH"
	}
	if path == "" {
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("%w and there is no home directory to search: set CHDB_LIB_PATH to the path of "+
					"libchdb.so (%v)", ErrNoLibrary, err)
			}
			cache = filepath.Join(home, ".cache")
		}
		path, origin = filepath.Join(cache, "cuota", "engine", Release, "libchdb.so"), "expected in the cache"
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%w (%s: %s): run `make engine` to fetch it, or set CHDB_LIB_PATH to the path of "+
			"libchdb.so: %v", ErrNoLibrary, origin, path, err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%w: %s is not a regular file; set CHDB_LIB_PATH to the path of libchdb.so", ErrNoLibrary,
			path)
	}
	return filepath.Abs(path)
}

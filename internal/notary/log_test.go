package notary

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"cuota/internal/durable"
)

// leafNumber makes the leaf of an invented batch. It has the same content for the same number.
func leafNumber(t *testing.T, number int) Leaf {
	t.Helper()
	files, err := FilesOf(filesUpTo(number))
	must(t, err)
	return Leaf{AsOf: "2026-08-19", BatchID: fmt.Sprintf("20260819-%d-0123456789ab", number), Files: files,
		Number: uint64(number), Rules: strings.Repeat("ab", 32),
		Tables: map[string]string{"screener": fmt.Sprintf("%016x", number), "index_day": "ffffffffffffffff"}}
}

func filesUpTo(count int) (files []File) {
	for i := range count % 40 {
		files = append(files, File{"cartola", fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, i)))})
	}
	return files
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logOf makes a log of so many leaves, of the batches 1 and later.
func logOf(t *testing.T, leaves int) (dir string, l *Log) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "log")
	l, err := create(dir, atOnce)
	must(t, err)
	for i := range leaves {
		must(t, l.Append(leafNumber(t, i+1)))
	}
	return dir, l
}

// atOnce writes a file without waiting for the disk, so that logs of many leaves take no time.
func atOnce(path string, content []byte, mode fs.FileMode) error {
	return os.WriteFile(path, content, mode)
}

// rootOf is the root by the definition of RFC 6962, section 2.1.
func rootOf(leaves [][]byte) [32]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	}
	left := 1
	for 2*left < len(leaves) {
		left *= 2
	}
	a, b := rootOf(leaves[:left]), rootOf(leaves[left:])
	return sha256.Sum256(append(append([]byte{1}, a[:]...), b[:]...))
}

func TestTheRootIsThatOfThePlainDefinition(t *testing.T) {
	dir, l := logOf(t, 0)
	var leaves [][]byte
	for size := 0; size <= 300; size++ {
		if want := rootOf(leaves); l.Head.Root != want || l.Head.Size != int64(size) {
			t.Fatalf("the root of %d leaves is %x, want %x", l.Head.Size, l.Head.Root, want)
		}
		line, err := leafNumber(t, size+1).Encode()
		must(t, err)
		must(t, l.Append(leafNumber(t, size+1)))
		leaves = append(leaves, line)
		if size%50 == 0 || size == 255 {
			opened, err := Open(dir)
			must(t, err)
			if opened.Head != l.Head || opened.Last() != l.Last() {
				t.Fatalf("after %d leaves the log is opened as %+v, want %+v", size+1, opened.Head, l.Head)
			}
		}
	}
	files := filesUpTo(39)
	var lines [][]byte
	for _, file := range ordered(files) {
		lines = append(lines, []byte(file.Dataset+" "+file.SHA256))
	}
	rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	got, err := FilesOf(append(files, files[0]))
	if want := rootOf(lines); err != nil || got != (Files{39, fmt.Sprintf("%x", want)}) {
		t.Errorf("files in another order have %+v (%v), want the root %x", got, err, want)
	}
}

var errKilled = errors.New("killed")

// A process is killed before or after each of its writes. What the log then is, and what becomes of it, does not depend
// on that.
func TestAKillAtAnyWriteIsHarmless(t *testing.T) {
	for _, from := range []int{0, 1, 254, 255, 256} {
		dir, whole := logOf(t, from)
		before := filepath.Join(t.TempDir(), "before")
		must(t, os.CopyFS(before, os.DirFS(dir)))
		must(t, whole.Append(leafNumber(t, from+1)))
		kills := 0
		for killed := true; killed; kills++ {
			for _, afterWrite := range []bool{false, true} {
				dir, writes := filepath.Join(t.TempDir(), "log"), 0
				must(t, os.CopyFS(dir, os.DirFS(before)))
				l, err := open(dir, func(path string, content []byte, mode fs.FileMode) error {
					if writes++; writes-1 != kills {
						return atOnce(path, content, mode)
					}
					if afterWrite {
						must(t, atOnce(path, content, mode))
					} else { // as a write that a crash cut
						must(t, os.WriteFile(path+".next", content[:len(content)/2], mode))
					}
					return errKilled
				})
				must(t, err)
				err = l.Append(leafNumber(t, from+1))
				killed = errors.Is(err, errKilled)
				if err != nil && !killed {
					t.Fatal(err)
				}
				opened, err := Open(dir)
				if err != nil {
					t.Fatalf("after kill %d of the append to %d leaves: %v", kills, from, err)
				}
				if opened.Head.Size == int64(from) {
					must(t, opened.Append(leafNumber(t, from+1)))
				}
				if opened.Head != whole.Head {
					t.Fatalf("after kill %d the log is %+v, want %+v", kills, opened.Head, whole.Head)
				}
				_, err = Open(dir)
				must(t, err)
			}
		}
		if kills < 4 { // entries, a tile, the checkpoint; and one append that was not killed
			t.Errorf("only %d appends were tried", kills)
		}
	}
}

func TestAKillWhileTheLogIsMadeIsHarmless(t *testing.T) {
	for kills := 0; ; kills++ {
		dir, writes := filepath.Join(t.TempDir(), "log"), 0
		_, err := create(dir, func(path string, content []byte, mode fs.FileMode) error {
			if writes++; writes-1 == kills {
				return errKilled
			}
			return durable.Replace(path, content, mode)
		})
		if err == nil {
			if kills != 3 { // the two keys, the checkpoint
				t.Errorf("%d writes were cut", kills)
			}
			return
		}
		if _, err := Open(dir); !errors.Is(err, ErrNoLog) {
			t.Fatalf("after kill %d: %v", kills, err)
		}
		_, err = Create(dir)
		must(t, err)
		_, err = Open(dir)
		must(t, err)
	}
}

func TestTheSecretKeyIsReadByItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	made, err := Create(dir)
	must(t, err)
	info, err := os.Stat(filepath.Join(dir, secretName))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the secret key has the mode %v (%v)", info.Mode(), err)
	}
	must(t, os.Remove(filepath.Join(dir, secretName)))
	opened, err := Open(dir)
	must(t, err)
	if opened.Key != made.Key {
		t.Errorf("without the secret key, the key is %s", opened.Key)
	}
	err = opened.Append(leafNumber(t, 1))
	if !errors.As(err, new(FaultError)) || !strings.Contains(err.Error(), "put your copy of the key at") {
		t.Errorf("without the secret key, appending gives %v", err)
	}
}

func TestALogThatIsNotWhatWasSignedIsRefused(t *testing.T) {
	dir, _ := logOf(t, 258)
	_, other := logOf(t, 258)
	at := func(name string) string { return filepath.Join(dir, name) }
	cut := func(name string, bytes int64) func() error {
		return func() error {
			info, err := os.Stat(at(name))
			must(t, err)
			return os.Truncate(at(name), info.Size()-bytes)
		}
	}
	for name, c := range map[string]struct {
		spoil func() error
		says  string
	}{
		"a bundle is gone":        {func() error { return os.Remove(at("tile/entries/000")) }, "was cut"},
		"the last bundle is gone": {func() error { return os.Remove(at("tile/entries/001")) }, "was cut"},
		"a bundle is short":       {cut("tile/entries/001", 1), "was cut"},
		"a tile is gone":          {func() error { return os.Remove(at("tile/0/000")) }, "other hashes"},
		"a tile of tiles is gone": {func() error { return os.Remove(at("tile/1/000")) }, "other hashes"},
		"a tile is short":         {cut("tile/0/001", 1), "other hashes"},
		"the checkpoint is gone":  {func() error { return os.Remove(at(checkpointName)) }, "checkpoint is missing"},
		"the checkpoint is cut":   {cut(checkpointName, 4), "put the directory back"},
		"another key has signed":  {func() error { return os.WriteFile(at(checkpointName), other.signed, 0o600) }, "not signed with the key"},
		"another public key":      {func() error { return os.WriteFile(at(publicName), []byte(other.Key), 0o600) }, "not the secret key"},
		"a secret key of a stranger": {func() error {
			secret, _, err := newKeys()
			must(t, err)
			return os.WriteFile(at(secretName), []byte(secret), 0o600)
		}, "not the secret key"},
		"the public key is gone": {func() error { return os.Remove(at(publicName)) }, "put it back from a backup"},
		"the secret key is cut":  {cut(secretName, 9), "put your copy of it back"},
		"another key of the same name": {func() error {
			secret, public, err := note.GenerateKey(nil, other.verifier.Name())
			must(t, err)
			return errors.Join(os.WriteFile(at(secretName), []byte(secret), 0o600),
				os.WriteFile(at(publicName), []byte(public), 0o600),
				os.WriteFile(at(checkpointName), other.signed, 0o600))
		}, "not signed with the key"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := t.TempDir()
			must(t, os.CopyFS(filepath.Join(whole, "log"), os.DirFS(dir)))
			must(t, c.spoil())
			_, err := Open(dir)
			if !errors.As(err, new(FaultError)) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the log is opened with %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("the error has the secret key: %v", err)
			}
			must(t, os.RemoveAll(dir))
			must(t, os.CopyFS(dir, os.DirFS(filepath.Join(whole, "log"))))
			_, err = Open(dir)
			must(t, err)
		})
	}
}

// A copy is right whatever is appended while it is made, and a damaged log is not copied in part.
func TestACopyHasWhatItsCheckpointCovers(t *testing.T) {
	dir, l := logOf(t, 256)
	copied := filepath.Join(t.TempDir(), "copy")
	add := func(name string) error {
		content, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		must(t, makeFolder(filepath.Dir(filepath.Join(copied, name))))
		must(t, os.WriteFile(filepath.Join(copied, name), content, 0o600))
		return nil
	}
	appended := 256
	must(t, Copy(dir, func(name string) error {
		if appended++; appended < 260 { // before the file is read and after it
			must(t, l.Append(leafNumber(t, appended)))
		}
		return add(name)
	}))
	found, err := Open(copied)
	if err != nil || found.Head.Size != 257 {
		t.Errorf("the copy is %+v (%v), want 257 leaves", found, err)
	}
	for _, name := range []string{publicName, checkpointName} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		must(t, errors.Join(err, os.Remove(filepath.Join(dir, name))))
		if err := Copy(dir, add); !errors.As(err, new(FaultError)) {
			t.Errorf("a log without %s is copied with %v", name, err)
		}
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	must(t, Copy(t.TempDir(), func(string) error { return errors.New("there is nothing to copy") }))
}

func TestAnyChangedByteOfALogIsRefused(t *testing.T) {
	dir, _ := logOf(t, 258)
	random := rand.New(rand.NewPCG(7, 7))
	for _, name := range []string{"tile/entries/000", "tile/entries/001", "tile/0/000", "tile/0/001", "tile/1/000",
		checkpointName} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		whole, err := os.ReadFile(path)
		must(t, err)
		for range 40 {
			changed := append([]byte(nil), whole...)
			changed[random.IntN(len(changed))] ^= 1 << random.IntN(8)
			must(t, os.WriteFile(path, changed, 0o600))
			if _, err := Open(dir); !errors.As(err, new(FaultError)) {
				t.Fatalf("a changed byte of %s is opened with %v", name, err)
			}
		}
		must(t, os.WriteFile(path, whole, 0o600))
	}
	_, err := Open(dir)
	must(t, err)
}

package backup_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/backup"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, dir string) *backup.Store {
	t.Helper()
	s, err := backup.Create(dir)
	must(t, err)
	return s
}

// backUp makes a backup of files at the given paths, and returns its id.
func backUp(t *testing.T, s *backup.Store, files map[string]string) string {
	t.Helper()
	id, err := s.NewID(time.Date(2026, 11, 22, 16, 38, 33, 0, time.UTC))
	must(t, err)
	m := backup.Manifest{ID: id, Content: json.RawMessage(`{}`)}
	for path, text := range files {
		source := filepath.Join(t.TempDir(), "source")
		must(t, os.WriteFile(source, []byte(text), 0o644))
		file, err := s.Add(t.Context(), source, path)
		must(t, err)
		m.Files = append(m.Files, file)
	}
	must(t, s.Finish(m))
	return id
}

func objects(t *testing.T, dir string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(filepath.Join(dir, "objects"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, entry.Name())
		}
		return err
	}))
	return names
}

func TestBackupsShareEqualFilesAndEachCanBeDeletedAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := create(t, dir)
	defer func() { must(t, s.Close()) }()
	first := backUp(t, s, map[string]string{"a": "one", "b/c": "two"})
	second := backUp(t, s, map[string]string{"a": "one", "b/c": "three"})
	if first >= second || len(objects(t, dir)) != 3 {
		t.Errorf("backups %s and %s have %v", first, second, objects(t, dir))
	}
	must(t, s.Keep(1))
	if _, err := s.Load(first); !errors.Is(err, backup.ErrNoBackup) {
		t.Errorf("the old backup: %v", err)
	}
	m, err := s.Load("")
	must(t, err)
	if len(objects(t, dir)) != 2 || m.ID != second {
		t.Errorf("after the old one went, %v is left, the newest is %s", objects(t, dir), m.ID)
	}
	for _, file := range m.Files {
		to := filepath.Join(t.TempDir(), "deep", "copy")
		must(t, s.Copy(t.Context(), file, to))
		text, err := os.ReadFile(to)
		must(t, err)
		if want := map[string]string{"a": "one", "b/c": "three"}[file.Path]; string(text) != want {
			t.Errorf("%s is %q, want %q", file.Path, text, want)
		}
	}
}

func TestABackupThatWasNotFinishedLeavesNoneAndNoScraps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := create(t, dir)
	_, err := s.AddReader(t.Context(), strings.NewReader("text"), "a")
	must(t, err)
	_, err = s.Scratch()
	must(t, err)
	if _, err := backup.Create(dir); err == nil || !strings.Contains(err.Error(), "another command") {
		t.Errorf("two at once: %v", err)
	}
	must(t, s.Close())
	s = create(t, dir)
	defer func() { must(t, s.Close()) }()
	if ids, err := s.IDs(); err != nil || len(ids) != 0 || len(objects(t, dir)) != 1 {
		t.Errorf("backups %v (%v), objects %v", ids, err, objects(t, dir))
	}
}

func TestADamagedManifestIsNeitherRestoredNorTrusted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := create(t, dir)
	defer func() { must(t, s.Close()) }()
	backUp(t, s, map[string]string{"a": "one"})
	id := backUp(t, s, map[string]string{"a": "two"})
	path := filepath.Join(dir, "backups", id+".json")
	text, err := os.ReadFile(path)
	must(t, err)
	for name, damaged := range map[string][]byte{
		"another path": bytes.Replace(text, []byte(`"path":"a"`), []byte(`"path":"b"`), 1),
		"cut":          text[:len(text)/2],
		"empty":        nil,
	} {
		must(t, os.WriteFile(path, damaged, 0o600))
		if _, err := s.Load(id); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
		if err := s.Keep(1); err == nil || len(objects(t, dir)) != 2 {
			t.Errorf("%s: old backups were deleted (%v), left are %v", name, err, objects(t, dir))
		}
		if damaged, err := s.Verify(t.Context()); err != nil || len(damaged) != 1 {
			t.Errorf("%s: verify finds %v (%v)", name, damaged, err)
		}
	}
	for _, id := range []string{"../../etc/passwd", "x"} {
		if _, err := s.Load(id); err == nil || !strings.Contains(err.Error(), "not the id") {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

func TestAManifestNamesNoFileOutsideTheRestoredDirectory(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "store"))
	defer func() { must(t, s.Close()) }()
	for _, path := range []string{"../outside", "/etc/passwd", "a/../../b", ""} {
		id := backUp(t, s, map[string]string{path: "text"})
		if _, err := s.Load(id); err == nil {
			t.Errorf("a manifest with the path %q is taken", path)
		}
	}
}

func TestAStoreMayBeNamedByARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	s := create(t, "store")
	defer func() { must(t, s.Close()) }()
	if path, err := s.Scratch(); err != nil || !filepath.IsAbs(path) {
		t.Errorf("a file for what is to be made is %s (%v)", path, err)
	}
	backUp(t, s, map[string]string{"a": "text"})
}

package archive

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cuota/ingest/drift"
	"cuota/model"
)

// noteIndex knows what is needed of the notes of an archive to find the files before a
// file. It holds about 200 bytes for each. Other processes write notes too, so it reads
// those directories again that have changed.
type noteIndex struct {
	mu    sync.Mutex
	dirs  map[string]time.Time // modification time of each directory when it was read
	notes map[string]indexedNote
}

// indexedNote is what the index knows of a note.
type indexedNote struct {
	modified time.Time
	size     int64
	dataset  model.Dataset
	kind     string // Profile.Kind; empty: nothing was published of the file, or it has no profile
	lastDate model.Date
	revision int64
}

// settled is how old a directory's modification time must be to tell any later change:
// file systems round these times.
const settled = 2 * time.Second

// Before returns the profiles of the files before the one of the entry that say what it
// should look like, the newest first, with the hash of the newest. A file is before
// another if its last day is earlier, or if the days are equal and its revision is lower.
func (a *Archive) Before(e Entry) (profiles []*drift.Profile, newest string, err error) {
	type candidate struct {
		sha string
		indexedNote
	}
	earlier := func(one, other candidate) int {
		return cmp.Or(one.lastDate.Compare(other.lastDate), cmp.Compare(one.revision, other.revision),
			strings.Compare(one.sha, other.sha))
	}
	own := candidate{e.SHA256, indexedNote{lastDate: e.Profile.LastDate, revision: e.Revision}}
	var list []candidate
	for in := a; in != nil; in = in.under {
		in.index.mu.Lock()
		err = in.refreshIndex()
		for sha, of := range in.index.notes {
			one := candidate{sha, of}
			if of.dataset == e.Dataset && (of.kind == drift.WholeKind || of.kind == e.Profile.Kind()) &&
				earlier(one, own) < 0 {
				list = append(list, one)
			}
		}
		in.index.mu.Unlock()
		if err != nil {
			return nil, "", err
		}
	}
	slices.SortFunc(list, func(one, other candidate) int { return earlier(other, one) })
	for _, one := range list {
		if len(profiles) == drift.FilesCompared {
			break
		}
		note, err := a.Note(one.sha)
		if errors.Is(err, fs.ErrNotExist) { // the file was removed meanwhile
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if note.Refused != "" || note.Profile == nil || !e.Profile.Like(note.Profile) {
			continue
		}
		if profiles = append(profiles, note.Profile); newest == "" {
			newest = one.sha
		}
	}
	return profiles, newest, nil
}

// refreshIndex reads the notes that are new or changed.
func (a *Archive) refreshIndex() error {
	if a.index.notes == nil {
		a.index.dirs, a.index.notes = map[string]time.Time{}, map[string]indexedNote{}
	}
	dirs, err := os.ReadDir(a.dir)
	if errors.Is(err, fs.ErrNotExist) { // nothing was archived yet
		return nil
	}
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if !dir.IsDir() || len(dir.Name()) != 2 {
			continue
		}
		info, err := dir.Info()
		if err != nil || a.index.dirs[dir.Name()].Equal(info.ModTime()) {
			continue // removed, or as it was
		}
		began := time.Now()
		if err := a.indexDir(filepath.Join(a.dir, dir.Name())); err != nil {
			return err
		}
		if began.Sub(info.ModTime()) > settled {
			a.index.dirs[dir.Name()] = info.ModTime()
		}
	}
	return nil
}

// indexDir reads the notes of a directory.
func (a *Archive) indexDir(path string) error {
	files, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, file := range files {
		sha, extension, _ := strings.Cut(file.Name(), ".")
		if extension != "json" || len(sha) != 64 {
			continue
		}
		info, err := file.Info()
		if err != nil {
			continue // removed meanwhile
		}
		known, there := a.index.notes[sha]
		if there && known.modified.Equal(info.ModTime()) && known.size == info.Size() &&
			time.Since(info.ModTime()) > settled {
			continue
		}
		// A note that can't be read is reported where it is needed itself.
		if note, err := readIndexed(filepath.Join(path, file.Name())); err == nil {
			note.modified, note.size = info.ModTime(), info.Size()
			a.index.notes[sha] = note
		}
	}
	return nil
}

// readIndexed reads what the index needs of a note.
func readIndexed(path string) (indexedNote, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return indexedNote{}, err
	}
	var note struct {
		Dataset  model.Dataset `json:"dataset"`
		Revision int64         `json:"revision"`
		Refused  string        `json:"refused"`
		Profile  *struct {
			Funds    uint64     `json:"funds"`
			Fund     string     `json:"fund"`
			LastDate model.Date `json:"last_date"`
		} `json:"profile"`
	}
	if err := json.Unmarshal(text, &note); err != nil {
		return indexedNote{}, err
	}
	of := indexedNote{dataset: note.Dataset, revision: note.Revision}
	if note.Refused == "" && note.Profile != nil {
		profile := drift.Profile{Funds: note.Profile.Funds, Fund: note.Profile.Fund}
		of.kind, of.lastDate = profile.Kind(), note.Profile.LastDate
	}
	return of, nil
}

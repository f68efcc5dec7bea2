package scrape

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cuota/internal/durable"
	"cuota/model"
)

// document is the state of one document of a source: the document of a period, the
// document that is replaced at its address, or a file in a folder. Each is stored in a
// small file of its own that is replaced atomically, so that a process may die at any
// moment and the next one continues.
type document struct {
	Name string `json:"document"` // first day of a period, "current", or the name of the file
	// Asked is a hash of the request and the dataset. When the configuration changes
	// these, the stored state no longer applies.
	Asked  string    `json:"asked,omitempty"`
	Looked time.Time `json:"looked,omitzero"` // when it was last answered
	// Absent says that there is no document for an old period, so that it is not asked
	// for again.
	Absent bool `json:"absent,omitempty"`

	SHA256 string `json:"sha256,omitempty"` // of the bytes last published
	// of bytes that were archived and judged good, and wait to be published
	Waiting      string   `json:"waiting,omitempty"`
	Earlier      []string `json:"earlier,omitempty"` // of bytes that were published before and have been replaced
	ETag         string   `json:"etag,omitempty"`    // of the last good answer
	LastModified string   `json:"last_modified,omitempty"`

	Failures int    `json:"failures,omitempty"` // since the last good answer
	Trouble  string `json:"trouble,omitempty"`  // reason of the last failure
	Refused  string `json:"refused,omitempty"`  // sha256 of an archived payload that was refused as not being data

	// Size and Modified are those of the folder's file when it was last seen. Taken says
	// that the file was read in that state.
	Size     int64     `json:"size,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	Taken    bool      `json:"taken,omitempty"`
}

// rest is the state of a source as a whole.
type rest struct {
	Failures int       `json:"failures,omitempty"` // in a row
	Retry    time.Time `json:"retry,omitzero"`     // no request is made before this time
	Looked   time.Time `json:"looked,omitzero"`    // when its folder was last listed
}

// store keeps the state of one source in a directory.
type store struct{ dir string }

const restFile = "source.json"

// load reads the whole state.
func (s store) load() (rest, map[string]*document, error) {
	var about rest
	documents := map[string]*document{}
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return about, nil, fmt.Errorf("create the state directory of the scraper: %w", err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return about, nil, fmt.Errorf("list the scraper's state: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".json") {
			continue // a temporary file of a process that died
		}
		if name == restFile {
			if err := s.read(name, &about); err != nil {
				return about, nil, err
			}
			continue
		}
		d := &document{}
		if err := s.read(name, d); err != nil {
			return about, nil, err
		}
		documents[d.Name] = d
	}
	return about, documents, nil
}

func (s store) read(name string, into any) error {
	path := filepath.Join(s.dir, name)
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read the scraper's state %s: %w; remove the file, and the scraper fetches its document again", path, err)
	}
	return nil
}

func (s store) saveRest(about rest) error { return s.save(restFile, about) }

func (s store) saveDocument(d *document) error { return s.save(documentFile(d.Name), d) }

// remove deletes the state of a document.
func (s store) remove(name string) error {
	if err := ignoreMissing(os.Remove(filepath.Join(s.dir, documentFile(name)))); err != nil {
		return fmt.Errorf("remove from the scraper's state: %w", err)
	}
	return nil
}

// documentFile is the file in which a document's state is stored. Names of folder files
// may hold any character, so they are hashed; names of periods stay readable.
func documentFile(name string) string {
	if _, err := model.ParseDate(name); err == nil || name == current {
		return "document-" + name + ".json"
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// save replaces a file atomically: a reader finds the old text or the new one, even
// after a power cut.
func (s store) save(name string, value any) error {
	path := filepath.Join(s.dir, name)
	text, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		err = durable.Replace(path, append(text, '\n'), 0o640)
	}
	if err != nil {
		return fmt.Errorf("save the scraper's state %s: %w", path, err)
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

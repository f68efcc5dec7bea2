package synth

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"

	"cuota/model"
)

// output writes the files of a market and keeps a list of them.
type output struct {
	dir   string
	files []source
}

type source struct {
	dataset   model.Dataset
	file      string
	published model.Date
}

// file is one file that is being written. Writing errors are returned by the final Flush.
type file struct {
	to     *bufio.Writer
	csv    *csv.Writer // writes CSV records through to
	buffer []byte      // the row that is being written
	line   int         // number of the line that was written last
	truth  CartolaFile
}

// write creates a file, fills it and adds it to the list as a file of the dataset.
func (o *output) write(dataset model.Dataset, name string, published model.Date, fill func(*file)) error {
	if err := o.create(name, fill); err != nil {
		return err
	}
	o.files = append(o.files, source{dataset, name, published})
	return nil
}

func (o *output) create(name string, fill func(*file)) (err error) {
	path := filepath.Join(o.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("create a directory of the market: %w", err)
	}
	target, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	f := &file{to: bufio.NewWriterSize(target, 1<<20)}
	f.csv = csv.NewWriter(f.to) // csv uses to as its buffer too, so one Flush is enough
	fill(f)
	err = f.to.Flush()
	if closed := target.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// text writes text that is not counted as rows.
func (f *file) text(lines string) {
	_, _ = f.to.WriteString(lines) // Flush returns the error
	f.line++
}

// add writes a row without changing it.
func (f *file) add(row []byte) {
	f.buffer = append(f.buffer, row...)
	f.end()
}

// end writes the row that is in the buffer and counts it.
func (f *file) end() {
	_, _ = f.to.Write(f.buffer) // Flush returns the error
	f.buffer = f.buffer[:0]
	f.line++
	f.truth.Rows++
}

// table writes a record of a CSV file.
func (f *file) table(fields ...string) {
	_ = f.csv.Write(fields) // Flush returns the error
}

// writeSources writes the list of files in the order in which they must be ingested: the
// cartola comes last, after the files that explain it. The columns are those of the demo's
// list.
func (o *output) writeSources() error {
	return o.create("sources.csv", func(f *file) {
		f.table("dataset", "file", "published", "derived")
		for _, cartola := range []bool{false, true} {
			for _, s := range o.files {
				if (s.dataset == model.Cartola) == cartola {
					f.table(string(s.dataset), s.file, s.published.String()+"T00:00:00Z", "synthetic")
				}
			}
		}
	})
}

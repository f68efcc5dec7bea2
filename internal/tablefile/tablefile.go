// Package tablefile writes rows as files for analysts: Parquet, CSV or NDJSON. A column is a field
// of a struct with the tag ch, as the rows of a statement are read. The same rows give the same
// values in each format.
package tablefile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"cuota/internal/durable"
	"cuota/internal/unfinished"
)

// Format is the format of a file.
type Format string

// The formats. A null is an empty field in CSV and null in NDJSON. Dates are YYYY-MM-DD in both. A
// number that is infinite or not a number is null.
const (
	Parquet Format = "parquet"
	CSV     Format = "csv"
	NDJSON  Format = "ndjson"
)

// FormatOf gives the format that the ending of a file's name says.
func FormatOf(path string) (Format, error) {
	switch format := Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")); format {
	case Parquet, CSV, NDJSON:
		return format, nil
	}
	return "", fmt.Errorf("%s has none of the endings .parquet, .csv and .ndjson, which say the format", path)
}

// Note is a line about a whole table, such as its batch. Only Parquet has room for it.
type Note struct{ Name, Text string }

// partPrefix begins the name of a file that is not finished.
const partPrefix = ".cuota-unfinished-"

// File is a file that is being written. Nobody sees it under its name before Finish.
type File struct {
	path  string
	force bool
	file  *os.File
	to    *bufio.Writer
	rows  rowWriter
	count uint64
}

// rowWriter writes rows in a format. end writes what comes after the last row.
type rowWriter interface {
	write(row reflect.Value) error
	end() error
}

// Create begins a file for rows of the struct type T. If the file exists, it fails, unless force
// is set; then Finish replaces the file.
func Create[T any](path string, format Format, force bool, notes ...Note) (*File, error) {
	columns, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	f := &File{path: path, force: force}
	if err := f.mayReplace(); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if _, err := unfinished.Sweep(dir, partPrefix); err != nil {
		return nil, err
	}
	if f.file, err = unfinished.Create(dir, partPrefix); err != nil {
		return nil, err
	}
	f.to = bufio.NewWriterSize(f.file, 1<<20)
	switch format {
	case CSV:
		f.rows, err = newCSV(f.to, columns)
	case NDJSON:
		f.rows = &ndjson{f.to, columns}
	case Parquet:
		f.rows, err = newParquet(f.to, columns, notes)
	default:
		err = fmt.Errorf("unknown format %q", format)
	}
	if err != nil {
		return nil, errors.Join(err, f.Abandon())
	}
	return f, nil
}

// ErrExists says that a file exists that would be replaced.
var ErrExists = errors.New("exists already: choose another name, or give --force to replace it")

func (f *File) mayReplace() error {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory: name a file", f.path)
	case !f.force:
		return fmt.Errorf("%s %w", f.path, ErrExists)
	}
	return nil
}

// Write writes rows of the type that the file was created for.
func Write[T any](f *File, rows []T) error {
	for i := range rows {
		if err := f.rows.write(reflect.ValueOf(&rows[i]).Elem()); err != nil {
			return fmt.Errorf("write %s: %w", f.path, err)
		}
	}
	f.count += uint64(len(rows))
	return nil
}

// Path gives the name that the file has when it is finished.
func (f *File) Path() string { return f.path }

// Rows gives the number of rows that were written.
func (f *File) Rows() uint64 { return f.count }

// Finish completes files and gives them their names. If one can't be completed, none appears. It
// must be called once, or Abandon of each.
func Finish(files ...*File) (err error) {
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.Abandon())
		}
	}()
	for _, f := range files {
		if err := f.complete(); err != nil {
			return fmt.Errorf("finish %s: %w", f.path, err)
		}
	}
	for _, f := range files {
		if err := os.Rename(f.file.Name(), f.path); err != nil {
			return err
		}
		file := f.file
		f.file = nil
		if err := errors.Join(file.Close(), durable.SyncFolder(filepath.Dir(f.path))); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) complete() error {
	if err := f.rows.end(); err != nil {
		return err
	}
	if err := errors.Join(f.to.Flush(), f.file.Chmod(0o644), f.file.Sync()); err != nil {
		return err
	}
	return f.mayReplace() // another process may have made it meanwhile
}

// Abandon removes a file that was not finished. After Finish it does nothing.
func (f *File) Abandon() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return errors.Join(os.Remove(file.Name()), file.Close())
}

// column is a column of a table.
type column struct {
	name     string
	index    []int // of the field
	kind     kind
	nullable bool // the field is a pointer
}

// kind is the type of the values of a column.
type kind int

const (
	text kind = iota
	number
	whole // uint32
	truth
	day // time.Time at midnight UTC
)

var kinds = map[reflect.Type]kind{
	reflect.TypeFor[string](): text, reflect.TypeFor[float64](): number, reflect.TypeFor[uint32](): whole,
	reflect.TypeFor[bool](): truth, reflect.TypeFor[time.Time](): day,
}

// columnsOf gives the columns of a struct type, those of embedded structs among them.
func columnsOf(row reflect.Type) (columns []column, err error) {
	for _, field := range reflect.VisibleFields(row) {
		name, tagged := field.Tag.Lookup("ch")
		if !tagged {
			continue
		}
		c := column{name: name, index: field.Index}
		of := field.Type
		if of.Kind() == reflect.Pointer {
			c.nullable, of = true, of.Elem()
		}
		var known bool
		if c.kind, known = kinds[of]; !known {
			return nil, fmt.Errorf("column %s has type %s, which no file can hold", name, of)
		}
		columns = append(columns, c)
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s has no columns", row)
	}
	return columns, nil
}

// value gives the value of a column in a row, or nil for null: string, float64, uint32, bool or
// time.Time.
func (c column) value(row reflect.Value) any {
	field := row.FieldByIndex(c.index)
	if c.nullable {
		if field.IsNil() {
			return nil
		}
		field = field.Elem()
	}
	value := field.Interface()
	if number, is := value.(float64); is && !finite(number) {
		return nil
	}
	return value
}

func finite(x float64) bool { return x-x == 0 }

package tablefile

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// sheetRows writes an Excel workbook: the rows in its first sheet, under a line of names that stays in the window, and
// the notes in a second one. Numbers and dates are typed, so each reader sees them with the marks of his own country.
type sheetRows struct {
	to     io.Writer
	file   *excelize.File
	sheet  *excelize.StreamWriter
	styles []int // of the columns
	line   int   // of the last row
	row    []any
	notes  []Note
	closed bool
}

// The names of the sheets, which are in Spanish as most files are.
const (
	rowsSheet  = "Datos"
	notesSheet = "Fuente"
)

// The width of a column in letters: that of its longest word, within bounds.
const (
	narrowest = 11
	widest    = 48
)

// dayShown is how Excel shows a day: in the order of the reader's country.
const dayShown = 14

func newWorkbook(to io.Writer, columns []Column, notes []Note) (*sheetRows, error) {
	w := &sheetRows{to: to, file: excelize.NewFile(), styles: make([]int, len(columns)),
		row: make([]any, len(columns)), notes: notes}
	err := w.file.SetSheetName("Sheet1", rowsSheet)
	if err != nil {
		return nil, err
	}
	if w.sheet, err = w.file.NewStreamWriter(rowsSheet); err != nil {
		return nil, err
	}
	bold, err := w.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true},
		Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}})
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		if w.styles[i], err = w.style(c); err != nil {
			return nil, err
		}
		width := min(max(narrowest, utf8.RuneCountInString(c.Name)+2), widest)
		if c.Kind == Text {
			width = max(width, 24)
		}
		if err := w.sheet.SetColWidth(i+1, i+1, float64(width)); err != nil {
			return nil, err
		}
		w.row[i] = excelize.Cell{StyleID: bold, Value: c.Name}
	}
	if err := w.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2",
		ActivePane: "bottomLeft"}); err != nil {
		return nil, err
	}
	return w, w.next()
}

// style returns the style of the values of a column, 0 for the usual one.
func (w *sheetRows) style(of Column) (int, error) {
	switch {
	case of.Kind == Day:
		return w.file.NewStyle(&excelize.Style{NumFmt: dayShown})
	case of.Shown != "":
		return w.file.NewStyle(&excelize.Style{CustomNumFmt: &of.Shown})
	}
	return 0, nil
}

func (w *sheetRows) write(row []any) error {
	for i, value := range row {
		if text, is := value.(string); is && len(text) > excelize.TotalCellChars {
			return fmt.Errorf("a text of %d bytes is longer than a cell of a workbook can be", len(text))
		}
		w.row[i] = nil
		if value != nil {
			w.row[i] = excelize.Cell{StyleID: w.styles[i], Value: value}
		}
	}
	return w.next()
}

// next writes w.row as the next line.
func (w *sheetRows) next() error {
	w.line++
	first, err := excelize.CoordinatesToCellName(1, w.line)
	if err != nil {
		return err
	}
	return w.sheet.SetRow(first, w.row)
}

// close removes the temporary file of a long workbook.
func (w *sheetRows) close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.file.Close()
}

func (w *sheetRows) end() error {
	if err := w.sheet.Flush(); err != nil {
		return err
	}
	if len(w.notes) > 0 {
		if _, err := w.file.NewSheet(notesSheet); err != nil {
			return err
		}
		if err := w.file.SetColWidth(notesSheet, "A", "B", 32); err != nil {
			return err
		}
		for i, note := range w.notes {
			first := fmt.Sprintf("A%d", i+1)
			if err := w.file.SetSheetRow(notesSheet, first, &[]any{note.Name, note.Text}); err != nil {
				return err
			}
		}
	}
	return w.file.Write(w.to)
}

package load

import (
	"bytes"
	"fmt"
	"os"

	"cuota/model"
)

// CutDay splits a cartola into the rows of a day and the others, each under the header. If
// the file has no row of that day, it takes the day of the last row. It fails if the file
// cannot be read or has no row.
func CutDay(path string, date model.Date) (day, others []byte, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read a cartola: %w", err)
	}
	header, body, _ := bytes.Cut(content, []byte("\n"))
	rows := bytes.SplitAfter(body, []byte("\n"))
	wanted := date.Time().Format("20060102")
	if !bytes.Contains(body, []byte(";"+wanted+";")) {
		for _, row := range rows {
			if text := dayOf(row); len(text) == len(wanted) {
				wanted = text
			}
		}
	}
	day, others = append(bytes.Clone(header), '\n'), append(bytes.Clone(header), '\n')
	for _, row := range rows {
		if dayOf(row) == wanted {
			day = append(day, row...)
		} else {
			others = append(others, row...)
		}
	}
	if len(day) == len(header)+1 {
		return nil, nil, fmt.Errorf("%s has no row of %s", path, wanted)
	}
	return day, others, nil
}

// dayOf returns the text in the date column.
func dayOf(row []byte) string {
	fields := bytes.SplitN(row, []byte(";"), columnDate+2)
	if len(fields) <= columnDate {
		return ""
	}
	return string(fields[columnDate])
}

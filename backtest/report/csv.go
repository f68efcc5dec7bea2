package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"cuota/model"
)

// CSV writes a table as UTF-8 with a line of names, commas, decimal points and dates as
// YYYY-MM-DD. A number is the shortest text that reads back as the same value. A value that is
// null is empty. Texts are written as they are.
func (t Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		record[i] = column.Name
	}
	if err := out.Write(record); err != nil {
		return fmt.Errorf("write the table %s as CSV: %w", t.Name, err)
	}
	for row := range t.rows {
		for i, cell := range row {
			record[i] = plain(cell)
		}
		if err := out.Write(record); err != nil {
			return fmt.Errorf("write the table %s as CSV: %w", t.Name, err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write the table %s as CSV: %w", t.Name, err)
	}
	return nil
}

func plain(cell any) string {
	switch value := cell.(type) {
	case nil:
		return ""
	case model.Date:
		return value.String()
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case int:
		return strconv.Itoa(value)
	case uint32:
		return strconv.FormatUint(uint64(value), 10)
	case bool:
		return strconv.FormatBool(value)
	}
	return cell.(string)
}

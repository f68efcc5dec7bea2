package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"cuota/model"
)

// RealCartola is the file of the demo whose rows the generated market repeats: nine series
// of two funds over all of 2024.
const RealCartola = "cartola/cartola_9809_9810_20240101_20241231.txt"

// Columns of a cartola that are overwritten in the generated rows, from 0.
const (
	columnRUN   = 2
	columnDate  = 3
	columnSerie = 8
)

const (
	// firstRUN is higher than the RUN of every real fund.
	firstRUN = 60_001
	// MaxDays keeps the first day within the dates that a cartola may hold.
	MaxDays = 10_000
)

// WriteCartola writes a cartola of so many series over so many days that end on last. The
// rows are copies of a real cartola's: each real series is used for many invented funds,
// and its days are repeated in order. So texts, lengths and amounts are those of the
// market, keys are distinct, and the same arguments give the same bytes. It fails if the
// real cartola has no rows or w fails.
func WriteCartola(w io.Writer, real []byte, series, days int, last model.Date) error {
	header, body, _ := bytes.Cut(real, []byte("\n"))
	template, err := cutTemplate(body)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	_, _ = out.Write(append(header, '\n')) // Flush reports the error
	var row []byte
	for day := range days {
		date := last.AddDays(day - days + 1).Time().Format("20060102")
		for i := range series {
			history := template[i%len(template)]
			line := history[day%len(history)]
			row = append(row[:0], line.before...)
			row = strconv.AppendInt(row, int64(firstRUN+i/len(template)*len(template)+line.fund), 10)
			row = append(append(append(row, ';'), date...), line.after...)
			_, _ = out.Write(append(row, '\n'))
		}
	}
	return out.Flush()
}

// templateLine is a real line without its RUN and its date.
type templateLine struct {
	before, after []byte
	fund          int // index of the fund among those of the file
}

// cutTemplate returns the lines of each series in the order of the file.
func cutTemplate(body []byte) ([][]templateLine, error) {
	funds, positions := map[string]int{}, map[string]int{}
	var template [][]templateLine
	for number, text := range bytes.Split(bytes.TrimRight(body, "\r\n"), []byte("\n")) {
		fields := bytes.Split(bytes.TrimRight(text, "\r"), []byte(";"))
		if len(fields) <= columnSerie {
			return nil, fmt.Errorf("row %d of the real cartola has %d columns", number+1, len(fields))
		}
		run := string(fields[columnRUN])
		if _, known := funds[run]; !known {
			funds[run] = len(funds)
		}
		key := run + ";" + string(fields[columnSerie])
		position, known := positions[key]
		if !known {
			position = len(template)
			positions[key] = position
			template = append(template, nil)
		}
		template[position] = append(template[position], templateLine{
			before: append(bytes.Join(fields[:columnRUN], []byte(";")), ';'),
			after:  append([]byte(";"), bytes.Join(fields[columnDate+1:], []byte(";"))...),
			fund:   funds[run],
		})
	}
	if len(template) == 0 {
		return nil, errors.New("the real cartola has no rows")
	}
	return template, nil
}

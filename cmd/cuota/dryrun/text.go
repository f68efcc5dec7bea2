package dryrun

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"cuota/cmd/cuota/output"
)

// shownReturns is how many changed returns the text shows. JSON has up to mostReturns.
const shownReturns = 20

// shownCorrections is how many corrections the text shows, and how many days that become void. JSON has up to
// mostCorrections of each.
const shownCorrections = 20

// shownSeries is how many series a line names.
const shownSeries = 20

// shownReasons is how many reasons of rejected rows the text shows.
const shownReasons = 10

// Write writes the report as text.
func (r Report) Write(out io.Writer) error {
	fmt.Fprintf(out, "%s: dry run, nothing is stored\n", output.Visible(r.File))
	fmt.Fprintf(out, "  dataset %s, published %s, sha256 %.12s\n", r.Dataset, r.Published.Format(time.RFC3339), r.SHA256)
	if r.State != Refused && r.State != Quarantined { // their rows are not judged
		fmt.Fprintf(out, "  rows: read %d, rejected %d\n", r.Rows.Read, r.Rows.Rejected)
		r.writeRejected(out)
	}
	for _, finding := range r.Findings {
		fmt.Fprintf(out, "  differs from the files before it: %s\n", output.Bounded(finding))
	}
	switch r.State {
	case Published:
		fmt.Fprintf(out, "  its rows are not compared; the file is ingested already, and batch %s has it\n", r.Batch)
		return nil
	case Refused:
		fmt.Fprintln(out, "  the file would be refused: nothing of it is published, and its rows are not compared")
		for _, of := range r.Rejected {
			fmt.Fprintf(out, "  %s\n", output.Bounded(of.Reason))
		}
		return nil
	case Quarantined:
		fmt.Fprintln(out, "  the file would be in quarantine until a person accepts it, and its rows are not compared")
		fmt.Fprintln(out, "  ingest it first, then decide with cuota rejected")
		return nil
	case Waiting:
		fmt.Fprintln(out, "  it was ingested before, and the published batch does not have it yet")
	}
	if r.Rows.Conflicting > 0 {
		fmt.Fprintf(out, "  %d rows have the key of an earlier row and other values; of each key the last row counts\n",
			r.Rows.Conflicting)
	}
	if r.Rows.Repeated > 0 {
		fmt.Fprintf(out, "  %d rows state the same as an earlier row\n", r.Rows.Repeated)
	}
	if r.Compared {
		fmt.Fprintln(out, "  compared: yes")
	} else {
		fmt.Fprintf(out, "  %d rows are not compared\n", r.Rows.NotCompared)
	}
	if r.Batch != "" && r.Rows.NotCompared < r.Rows.Read {
		fmt.Fprintf(out, "  against what counts in batch %s:\n", r.Batch)
	}
	r.writeCounts(out)
	if err := r.writeCorrections(out); err != nil {
		return err
	}
	if err := r.writeReturns(out); err != nil {
		return err
	}
	for _, what := range r.NotComputed {
		fmt.Fprintf(out, "  not computed: %s\n", what)
	}
	return nil
}

func (r Report) writeRejected(out io.Writer) {
	for i, of := range r.Rejected {
		if i == shownReasons {
			fmt.Fprintf(out, "  … and %d more reasons; --json has them\n", len(r.Rejected)-shownReasons)
			break
		}
		fmt.Fprintf(out, "  rejected %d: %s\n", of.Rows, output.Bounded(of.Reason))
		for _, row := range of.First {
			fmt.Fprintf(out, "    %s:%d: %s\n", output.Visible(r.File), row.Line, output.Bounded(row.Raw))
		}
	}
}

func (r Report) writeCounts(out io.Writer) {
	for _, of := range []struct {
		count uint64
		what  string
	}{
		{r.Rows.New, "new: no row under their name counts on their day yet"},
		{r.Rows.Corrected, "corrected: would replace the row that counts"},
		{r.Rows.Voided, "void: a rejected row would count on their day, which has no value then"},
		{r.Rows.Equal, "equal to what counts now"},
		{r.Rows.Older, "older: the row that counts has a later publication, or the same and a greater hash"},
		{r.Rows.OtherName, "under another name: may not count, because their series has another name on their day"},
	} {
		if of.count > 0 {
			fmt.Fprintf(out, "    %d %s\n", of.count, of.what)
		}
	}
	if r.Series > 0 {
		fmt.Fprintf(out, "  series touched: %d\n", r.Series)
	}
	if r.Days > 0 {
		fmt.Fprintf(out, "  days touched: %d, from %s to %s\n", r.Days, r.FirstDay, r.LastDay)
	}
}

func (r Report) writeCorrections(out io.Writer) error {
	if err := r.writeList(out, "largest corrections:", r.Corrections, r.allCorrections); err != nil {
		return err
	}
	return r.writeList(out, "days that lose their value:", r.Voids, r.allVoids)
}

// writeList writes the first corrections of a list. all is how many there are.
func (r Report) writeList(out io.Writer, title string, list []Correction, all uint64) error {
	if len(list) == 0 {
		return nil
	}
	fmt.Fprintln(out, "  "+title)
	shown := list[:min(len(list), shownCorrections)]
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "    line\tof\tcolumn\tcounts now\twould count\tchange\tcounts now in\tpublished (UTC)")
	for _, one := range shown {
		change := ""
		if one.Change != nil {
			change = strconv.FormatFloat(100**one.Change, 'f', 4, 64) + " %"
		}
		if one.OtherName {
			change += " (another name: may not count)"
		}
		column := one.Column
		if more := len(one.Columns) - 1; more > 0 {
			column += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(table, "    %d\t%s\t%s\t%s\t%s\t%s\t%s:%d\t%s\n", one.Line, output.Bounded(one.about()), column,
			shownValue(one.Old), shownValue(one.New), change,
			output.Visible(cmp.Or(one.Counts.File, one.Counts.SHA256)), one.Counts.Line,
			one.Counts.Published.Format(time.DateTime))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := all - uint64(len(shown)); more > 0 {
		fmt.Fprintf(out, "    … and %d more\n", more)
	}
	return nil
}

func (r Report) writeReturns(out io.Writer) error {
	of := r.Returns
	if len(of.BreaksMayDiffer) > 0 {
		names := make([]string, 0, shownSeries)
		for _, one := range of.BreaksMayDiffer[:min(len(of.BreaksMayDiffer), shownSeries)] {
			names = append(names, one.RUN+" "+output.Visible(one.Serie))
		}
		more := ""
		if left := len(of.BreaksMayDiffer) - len(names); left > 0 {
			more = fmt.Sprintf(" and %d more; --json has them", left)
		}
		fmt.Fprintf(out, "  not computed: the returns of %d series, because a gap or a change of currency or unit may "+
			"appear or vanish: %s%s\n", len(of.BreaksMayDiffer), strings.Join(names, ", "), more)
	}
	if of.Computed == 0 {
		return nil
	}
	fmt.Fprintf(out, "  price returns at the cutoff %s of %d series with changed rows: %d windows of %d series differ\n",
		r.Cutoff, of.Computed, of.Windows, of.Series)
	if of.Windows == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "    series\tRUN\tname\twindow\tnow\twould be\tcurrency\tfrom\tto")
	for _, one := range of.Largest[:min(len(of.Largest), shownReturns)] {
		fmt.Fprintf(table, "    %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", one.SeriesID, one.RUN,
			output.Visible(one.Serie), one.Window, shownReturn(one.Old, one.OldReason),
			shownReturn(one.New, one.NewReason), shownChange(one.OldCurrency, one.Currency),
			shownChange(one.OldFrom, one.From), shownChange(one.OldTo, one.To))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := of.Windows - shownReturns; more > 0 {
		fmt.Fprintf(out, "    … and %d more\n", more)
	}
	fmt.Fprintln(out, "  families with these series, which would be computed anew:")
	for _, family := range of.Families {
		fmt.Fprintf(out, "    %s: %d series\n", output.Visible(cmp.Or(family.Family, "no family")), family.Series)
	}
	return nil
}

func shownValue(value any) string {
	switch value := value.(type) {
	case nil:
		return "none"
	case string:
		return output.Bounded(value)
	case json.Number:
		return value.String()
	}
	return output.Bounded(fmt.Sprint(value))
}

func shownReturn(value *float64, reason *string) string {
	switch {
	case value != nil:
		return strconv.FormatFloat(100**value, 'f', 4, 64) + " %"
	case reason != nil:
		return *reason
	}
	return "none"
}

// shownChange shows a text, and before it the old one if it differs.
func shownChange(old, now *string) string {
	shown := func(of *string) string {
		if of == nil {
			return "none"
		}
		return output.Visible(*of)
	}
	if equal(old, now) {
		return shown(now)
	}
	return shown(old) + " → " + shown(now)
}

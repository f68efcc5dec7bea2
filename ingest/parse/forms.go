package parse

import (
	"cmp"
	"fmt"
	"strings"

	"cuota/ingest/excerpt"
)

// numberForms counts in which forms the numbers of a file are written that should have the
// form 1.234.567,89. A program may have saved the file with decimal points. Then 998.765
// is less than a thousand, and reading it by itself would multiply it by 1000. So all
// numbers of the file decide together, because a program writes all of them in one form. But
// a program may also change one column alone, so a column whose own numbers show points is not
// outvoted by others. The counts stand at the index of their column.
type numberForms []formCounts

// formCounts is how many numbers have the form of the source, have decimal points, and can be read
// in both ways.
type formCounts struct {
	chilean, points, doubtful uint64
	firstPoint, firstDoubtful string
}

// of returns the counts of a column.
func (f *numberForms) of(column int) *formCounts {
	for column >= len(*f) {
		*f = append(*f, formCounts{})
	}
	return &(*f)[column]
}

// note counts a number by the form in which alone it can be written, if there is one.
func (f *formCounts) note(text string) {
	unsigned := strings.TrimPrefix(text, "-")
	commas, points := strings.Count(unsigned, ","), strings.Count(unsigned, ".")
	threeDigits := func() bool { // behind the only separator
		return grouped(strings.Replace(unsigned, ",", ".", 1)) && unsigned[0] != '0'
	}
	switch {
	case commas > 1, commas == 1 && strings.Contains(unsigned[strings.IndexByte(unsigned, ','):], "."):
		f.point(text) // 1,234,567 and 1,234.56: commas between thousands
	case commas+points == 1 && threeDigits():
		if f.doubtful++; f.doubtful == 1 {
			f.firstDoubtful = excerpt.Cut(text, maxNumber)
		}
	case commas == 1, points > 1 && grouped(unsigned):
		f.chilean++
	case points == 1:
		f.point(text)
	}
}

// noteCount counts a number of people. It has no decimals, so its only separator stands
// between thousands and shows the form of the other numbers.
func (f *formCounts) noteCount(text string) {
	switch {
	case !strings.ContainsAny(text, ".,"):
	case grouped(text):
		f.chilean++
	case grouped(strings.ReplaceAll(text, ",", ".")), strings.Count(text, ".") == 1 && !strings.Contains(text, ","):
		f.point(text) // 1,204 and 1.2, of which a program has cut the zeros at the end
	}
}

// point counts a number that can only have a decimal point.
func (f *formCounts) point(text string) {
	if f.points++; f.points == 1 {
		f.firstPoint = excerpt.Cut(text, maxNumber)
	}
}

// doubt returns why the numbers of the file can't be read, and empty text if they can. layout has the
// names of the columns; it is nil if no header was found. A single number in another form than the
// others is rejected with its row.
func (f numberForms) doubt(layout *format) string {
	var all formCounts
	split := -1 // the first column that shows points, although the file as a whole does not
	for i, c := range f {
		if c.doubtful > 0 && c.points > c.chilean && split < 0 {
			split = i
		}
		all.chilean, all.points, all.doubtful = all.chilean+c.chilean, all.points+c.points, all.doubtful+c.doubtful
		all.firstPoint, all.firstDoubtful = cmp.Or(all.firstPoint, c.firstPoint),
			cmp.Or(all.firstDoubtful, c.firstDoubtful)
	}
	switch {
	case all.points > all.chilean:
		return fmt.Sprintf("the numbers of the file have decimal points, as %s, but the form of the source is "+
			"1.234.567,89, in which 1.234 is more than a "+
			"thousand: save the file again with decimal commas, or download it again and keep its numbers as they are",
			excerpt.Quoted(all.firstPoint))
	case split >= 0:
		c := f[split]
		return fmt.Sprintf("the numbers of the column %s have decimal points, as %s, and those of other columns have "+
			"not, so that %s can be read in two "+
			"ways: download the file again and keep its numbers as they are", layout.columns[split],
			excerpt.Quoted(c.firstPoint), excerpt.Quoted(c.firstDoubtful))
	case all.doubtful > 0 && all.chilean == 0:
		return fmt.Sprintf("%s can be read as a number with three decimals or as one above a thousand, and no other "+
			"number of the file tells which: "+
			"write one number of the file with its decimal comma, as 1.234,00, or take a longer period",
			excerpt.Quoted(all.firstDoubtful))
	}
	return ""
}

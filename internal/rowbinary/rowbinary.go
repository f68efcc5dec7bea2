// Package rowbinary reads values of ClickHouse's format RowBinary. Statements that return thousands
// of rows for one reply put them into one text of this format, because reading them column by
// column into structs takes many times as long.
package rowbinary

import (
	"encoding/binary"
	"errors"
	"math"

	"cuota/model"
)

// Reader reads one value after the other from a text. After the first value that is not whole, Err
// returns an error and all values are zero. The texts that it returns are parts of its text.
type Reader struct {
	text string
	err  error
}

// NewReader makes a Reader of a text.
func NewReader(text string) *Reader { return &Reader{text: text} }

var errCut = errors.New("a value of ClickHouse's format RowBinary is cut off: the statement and its reader do not fit")

// Err returns the error of the first value that could not be read.
func (r *Reader) Err() error { return r.err }

// More reports whether there is another value.
func (r *Reader) More() bool { return r.err == nil && r.text != "" }

// take returns the next n bytes, and the empty text if there are not so many.
func (r *Reader) take(n uint64) string {
	if r.err != nil || n > uint64(len(r.text)) {
		r.Fail(errCut)
		return ""
	}
	taken := r.text[:n]
	r.text = r.text[n:]
	return taken
}

// Uint8 reads a UInt8.
func (r *Reader) Uint8() uint8 {
	if taken := r.take(1); taken != "" {
		return taken[0]
	}
	return 0
}

// Bool reads a Bool, or any value that is 0 or not.
func (r *Reader) Bool() bool { return r.Uint8() != 0 }

// Uint32 reads a UInt32.
func (r *Reader) Uint32() uint32 {
	if taken := r.take(4); taken != "" {
		return uint32(taken[0]) | uint32(taken[1])<<8 | uint32(taken[2])<<16 | uint32(taken[3])<<24
	}
	return 0
}

// Int64 reads an Int64, or the number of units of a Decimal64.
func (r *Reader) Int64() int64 {
	if taken := r.take(8); taken != "" {
		return int64(bitsOf(taken))
	}
	return 0
}

// Float64 reads a Float64.
func (r *Reader) Float64() float64 {
	if taken := r.take(8); taken != "" {
		return math.Float64frombits(bitsOf(taken))
	}
	return 0
}

// Date reads a Date. Day 0 is the zero date.
func (r *Reader) Date() model.Date {
	if taken := r.take(2); taken != "" {
		return model.Date{}.AddDays(int(taken[0]) | int(taken[1])<<8)
	}
	return model.Date{}
}

// Text reads a String.
func (r *Reader) Text() string { return r.take(r.length()) }

// Null reads whether a Nullable value is null. If it is not, the value follows.
func (r *Reader) Null() bool { return r.Bool() || r.err != nil }

// Count reads the length of an array whose values have at least one byte each.
func (r *Reader) Count() int {
	n := r.length()
	if n > uint64(len(r.text)) {
		r.Fail(errCut)
		return 0
	}
	return int(n)
}

// Column reads an array of n values, with read for each. An array of another length is an error.
func (r *Reader) Column(n int, read func(i int)) {
	if r.Count() != n && r.err == nil {
		r.Fail(errCut)
	}
	for i := 0; i < n && r.err == nil; i++ {
		read(i)
	}
}

// Floats reads an array of Float64.
func (r *Reader) Floats() []float64 {
	n := r.length()
	if n > uint64(len(r.text))/8 {
		r.Fail(errCut)
		return nil
	}
	taken := r.take(8 * n)
	list := make([]float64, n)
	for i := range list {
		list[i] = math.Float64frombits(bitsOf(taken[8*i:]))
	}
	return list
}

// Uint32s reads an array of UInt32.
func (r *Reader) Uint32s() []uint32 {
	n := r.length()
	if n > uint64(len(r.text))/4 {
		r.Fail(errCut)
		return nil
	}
	taken := r.take(4 * n)
	list := make([]uint32, n)
	for i := range list {
		of := taken[4*i : 4*i+4]
		list[i] = uint32(of[0]) | uint32(of[1])<<8 | uint32(of[2])<<16 | uint32(of[3])<<24
	}
	return list
}

// Fail makes the value that was read last an error, unless there was one before.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// length reads the length of a text or an array.
func (r *Reader) length() uint64 {
	var digits [binary.MaxVarintLen64]byte
	n, used := binary.Uvarint(digits[:copy(digits[:], r.text)])
	if r.err != nil || used <= 0 {
		r.Fail(errCut)
		return 0
	}
	r.text = r.text[used:]
	return n
}

func bitsOf(taken string) uint64 {
	return uint64(taken[0]) | uint64(taken[1])<<8 | uint64(taken[2])<<16 | uint64(taken[3])<<24 |
		uint64(taken[4])<<32 | uint64(taken[5])<<40 | uint64(taken[6])<<48 | uint64(taken[7])<<56
}

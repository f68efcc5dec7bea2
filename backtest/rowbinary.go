package backtest

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"cuota/model"
)

// binaryRow reads values of ClickHouse's format RowBinary. After the first value that is not
// whole, err is set and all values are zero.
type binaryRow struct {
	text string
	err  error
}

var errCut = errors.New("a value of ClickHouse's format RowBinary is cut off: the statement and its reader do not fit")

// more tells whether there is another value.
func (b *binaryRow) more() bool { return b.err == nil && b.text != "" }

// bytes takes the next n bytes; the empty text if there are not so many.
func (b *binaryRow) bytes(n uint64) string {
	if b.err != nil || n > uint64(len(b.text)) {
		b.err = errCut
		return ""
	}
	taken := b.text[:n]
	b.text = b.text[n:]
	return taken
}

func (b *binaryRow) uint8() uint8 {
	if taken := b.bytes(1); taken != "" {
		return taken[0]
	}
	return 0
}

func (b *binaryRow) bool() bool { return b.uint8() != 0 }

func (b *binaryRow) uint32() uint32 {
	if taken := b.bytes(4); taken != "" {
		return uint32(taken[0]) | uint32(taken[1])<<8 | uint32(taken[2])<<16 | uint32(taken[3])<<24
	}
	return 0
}

// date reads a Date, which has 16 bits.
func (b *binaryRow) date() model.Date {
	if taken := b.bytes(2); taken != "" {
		return model.Date{}.AddDays(int(taken[0]) | int(taken[1])<<8)
	}
	return model.Date{}
}

func (b *binaryRow) float64() float64 {
	if taken := b.bytes(8); taken != "" {
		return floatOf(taken)
	}
	return 0
}

func floatOf(taken string) float64 {
	return math.Float64frombits(uint64(taken[0]) | uint64(taken[1])<<8 | uint64(taken[2])<<16 | uint64(taken[3])<<24 |
		uint64(taken[4])<<32 | uint64(taken[5])<<40 | uint64(taken[6])<<48 | uint64(taken[7])<<56)
}

// length reads the length of a text or an array.
func (b *binaryRow) length() uint64 {
	var digits [binary.MaxVarintLen64]byte
	n, used := binary.Uvarint(digits[:copy(digits[:], b.text)])
	if b.err != nil || used <= 0 {
		b.err = errCut
		return 0
	}
	b.text = b.text[used:]
	return n
}

// word reads a text of which many are equal.
func (b *binaryRow) word(words *interned) string { return words.get(b.bytes(b.length())) }

// count reads the length of an array whose values have a byte at least.
func (b *binaryRow) count() int {
	n := b.length()
	if n > uint64(len(b.text)) {
		b.err = errCut
		return 0
	}
	return int(n)
}

// column reads an array of n values, with read for each.
func (b *binaryRow) column(n int, read func(i int)) {
	if b.count() != n && b.err == nil {
		b.err = errCut
	}
	for i := 0; i < n && b.err == nil; i++ {
		read(i)
	}
}

// floats reads an array of numbers.
func (b *binaryRow) floats() []float64 {
	n := b.length()
	if n > uint64(len(b.text))/8 {
		b.err = errCut
		return nil
	}
	taken := b.bytes(8 * n)
	list := make([]float64, n)
	for i := range list {
		list[i] = floatOf(taken[8*i:])
	}
	return list
}

// interned keeps one copy of each text.
type interned struct {
	mu    sync.Mutex
	known map[string]string
}

func newInterned() *interned { return &interned{known: map[string]string{}} }

func (w *interned) get(text string) string {
	if text == "" {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	known, there := w.known[text]
	if !there {
		known = string([]byte(text)) // text is a part of a long one
		w.known[known] = known
	}
	return known
}

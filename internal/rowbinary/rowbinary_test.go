package rowbinary_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"cuota/internal/rowbinary"
	"cuota/model"
)

func TestValuesAreThoseThatWereWritten(t *testing.T) {
	text := []byte{7, 1}
	text = binary.LittleEndian.AppendUint32(text, 3_000_000_001)
	text = binary.LittleEndian.AppendUint64(text, math.MaxUint64-41) // -42
	text = binary.LittleEndian.AppendUint64(text, math.Float64bits(-0.125))
	text = binary.LittleEndian.AppendUint16(text, 20_000)
	text = append(append(binary.AppendUvarint(text, 300), make([]byte, 299)...), 'x')
	text = append(text, 1, 0, 9)
	text = binary.LittleEndian.AppendUint64(append(text, 2), math.Float64bits(1.5))
	text = binary.LittleEndian.AppendUint64(text, math.Float64bits(math.Inf(-1)))
	text = append(text, 3, 4, 5, 6)
	text = binary.LittleEndian.AppendUint32(append(text, 1), 3_000_000_002)
	r := rowbinary.NewReader(string(text))
	if v := r.Uint8(); v != 7 {
		t.Error(v)
	}
	if v := r.Bool(); !v {
		t.Error(v)
	}
	if v := r.Uint32(); v != 3_000_000_001 {
		t.Error(v)
	}
	if v := r.Int64(); v != -42 {
		t.Error(v)
	}
	if v := r.Float64(); v != -0.125 {
		t.Error(v)
	}
	if v := r.Date(); v != model.NewDate(2024, 10, 4) {
		t.Error(v)
	}
	if v := r.Text(); len(v) != 300 || v[299] != 'x' {
		t.Errorf("%q", v)
	}
	if !r.Null() || r.Null() || r.Uint8() != 9 {
		t.Error("of two nullable values, the first is null and the second is 9")
	}
	if v := r.Floats(); len(v) != 2 || v[0] != 1.5 || !math.IsInf(v[1], -1) {
		t.Error(v)
	}
	var column []uint8
	r.Column(3, func(int) { column = append(column, r.Uint8()) })
	if !slices.Equal(column, []uint8{4, 5, 6}) {
		t.Error(column)
	}
	if v := r.Uint32s(); !slices.Equal(v, []uint32{3_000_000_002}) {
		t.Error(v)
	}
	if r.More() || r.Err() != nil {
		t.Error(r.More(), r.Err())
	}
}

func TestAnArrayThatIsShorterOrLongerThanExpectedIsAnError(t *testing.T) {
	for name, read := range map[string]func(*rowbinary.Reader){
		"shorter":              func(r *rowbinary.Reader) { r.Column(3, func(int) { r.Uint8() }) },
		"longer":               func(r *rowbinary.Reader) { r.Column(1, func(int) { r.Uint8() }) },
		"longer than the text": func(r *rowbinary.Reader) { r.Floats() },
		"longer, of numbers":   func(r *rowbinary.Reader) { r.Uint32s() },
		"the reader says it":   func(r *rowbinary.Reader) { r.Fail(errors.New("an unknown word")) },
	} {
		r := rowbinary.NewReader("\x02ab")
		read(r)
		if r.Err() == nil || r.More() {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTheFirstErrorStays(t *testing.T) {
	r := rowbinary.NewReader("\x02ab")
	first := errors.New("an unknown word")
	r.Fail(first)
	r.Uint32s()
	r.Text()
	r.Uint8()
	if !errors.Is(r.Err(), first) {
		t.Error(r.Err())
	}
}

func TestAfterAValueThatIsCutOffAllAreZero(t *testing.T) {
	for name, text := range map[string]string{"no length": "", "length without end": "\xff\xff",
		"too short": "\x05abcd", "longer than any text": "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		r := rowbinary.NewReader(text)
		if got := r.Text(); got != "" || r.Err() == nil {
			t.Errorf("%s: %q, %v", name, got, r.Err())
		}
		if r.More() || r.Uint8() != 0 || r.Uint32() != 0 || r.Int64() != 0 || r.Float64() != 0 || !r.Date().IsZero() ||
			!r.Null() || r.Text() != "" {
			t.Errorf("%s: a value after the error is not zero", name)
		}
	}
}

func FuzzNoTextMakesAReaderPanic(f *testing.F) {
	f.Add("\x05abcde\x00\x01\x01abcd", "st8n")
	f.Fuzz(func(t *testing.T, text, kinds string) {
		r, read := rowbinary.NewReader(text), 0
		for _, kind := range kinds {
			switch kind {
			case 's':
				read += len(r.Text())
			case 't':
				r.Uint32()
			case 'd':
				r.Date()
			case 'f':
				r.Float64()
			case 'a':
				read += 8 * len(r.Floats())
			case 'n':
				read += 4 * len(r.Uint32s())
			case 'c':
				r.Column(3, func(int) { r.Uint8() })
			default:
				r.Null()
			}
		}
		if read > len(text) {
			t.Errorf("%d bytes of texts from %d bytes", read, len(text))
		}
	})
}

package rowbinary_test

import (
	"encoding/binary"
	"math"
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
	if r.More() || r.Err() != nil {
		t.Error(r.More(), r.Err())
	}
}

func TestAfterAValueThatIsCutOffAllAreZero(t *testing.T) {
	for name, text := range map[string]string{"no length": "", "length without end": "\xff\xff", "too short": "\x05abcd", "longer than any text": "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		r := rowbinary.NewReader(text)
		if got := r.Text(); got != "" || r.Err() == nil {
			t.Errorf("%s: %q, %v", name, got, r.Err())
		}
		if r.More() || r.Uint8() != 0 || r.Uint32() != 0 || r.Int64() != 0 || r.Float64() != 0 || !r.Date().IsZero() || !r.Null() || r.Text() != "" {
			t.Errorf("%s: a value after the error is not zero", name)
		}
	}
}

func FuzzNoTextMakesAReaderPanic(f *testing.F) {
	f.Add("\x05abcde\x00\x01", "st8")
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
			default:
				r.Null()
			}
		}
		if read > len(text) {
			t.Errorf("%d bytes of texts from %d bytes", read, len(text))
		}
	})
}

package tablefile

import (
	"encoding/base64"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The schema message of Arrow is a flatbuffer. Its tables and the numbers of their fields are those of Schema.fbs and
// Message.fbs in the format of Apache Arrow, whose names stand behind the numbers.

// arrowType is a type of a column: its number in the union Type, and what writes its table.
type arrowType struct {
	number byte
	table  func(*flatbuffers.Builder)
}

var (
	arrowFlag = arrowType{6, func(b *flatbuffers.Builder) { b.StartObject(0) }} // Bool
	arrowText = arrowType{5, func(b *flatbuffers.Builder) { b.StartObject(0) }} // Utf8
	arrowDate = arrowType{8, func(b *flatbuffers.Builder) {
		b.StartObject(1)
		b.PrependInt16Slot(0, 0, 1) // unit: DAY, where MILLISECOND is the default
	}}
	arrowDouble = arrowType{3, func(b *flatbuffers.Builder) { // FloatingPoint
		b.StartObject(1)
		b.PrependInt16Slot(0, 2, 0) // precision: DOUBLE
	}}
)

// arrowInt is the type of whole numbers of so many bits.
func arrowInt(bits int32, signed bool) arrowType {
	return arrowType{2, func(b *flatbuffers.Builder) { // Int
		b.StartObject(2)
		b.PrependInt32Slot(0, bits, 0)      // bitWidth
		b.PrependBoolSlot(1, signed, false) // is_signed
	}}
}

// arrowSchema returns the schema of Arrow, without which the metadata of fields would be lost. The notes stand
// both in that schema and beside it, so that readers with and without Arrow find them. The text is a stream of Arrow
// with no rows.
func arrowSchema(columns []Column, notes []Note) Note {
	b := flatbuffers.NewBuilder(1024)
	fields := make([]flatbuffers.UOffsetT, len(columns))
	for i, c := range columns {
		fields[i] = arrowField(b, c)
	}
	list := b.CreateVectorOfTables(fields)
	metadata := arrowMetadata(b, notes)
	b.StartObject(4)                      // Schema
	b.PrependUOffsetTSlot(1, list, 0)     // fields
	b.PrependUOffsetTSlot(2, metadata, 0) // custom_metadata
	schema := b.EndObject()               // endianness is Little, the default
	b.StartObject(5)                      // Message
	b.PrependInt16Slot(0, 4, 0)           // version: V5
	b.PrependByteSlot(1, 1, 0)            // header_type: Schema
	b.PrependUOffsetTSlot(2, schema, 0)   // header
	b.Finish(b.EndObject())               // no bodyLength and no custom_metadata
	return Note{Name: "ARROW:schema", Text: base64.StdEncoding.EncodeToString(arrowStream(b.FinishedBytes()))}
}

func arrowField(b *flatbuffers.Builder, c Column) flatbuffers.UOffsetT {
	name := b.CreateString(c.Name)
	of := stored[c.Kind].arrow
	of.table(b)
	table := b.EndObject()
	children := b.CreateVectorOfTables(nil)
	var about []Note
	for _, each := range []Note{{"unit", c.Unit}, {"comment", c.Comment}} {
		if each.Text != "" {
			about = append(about, each)
		}
	}
	metadata := arrowMetadata(b, about)
	b.StartObject(7)                        // Field
	b.PrependUOffsetTSlot(0, name, 0)       // name
	b.PrependBoolSlot(1, c.Nullable, false) // nullable
	b.PrependByteSlot(2, of.number, 0)      // type_type
	b.PrependUOffsetTSlot(3, table, 0)      // type
	b.PrependUOffsetTSlot(5, children, 0)   // children, after dictionary
	b.PrependUOffsetTSlot(6, metadata, 0)   // custom_metadata
	return b.EndObject()
}

// arrowMetadata writes texts by name. It returns 0, which says that there is no such list, if there are none.
func arrowMetadata(b *flatbuffers.Builder, notes []Note) flatbuffers.UOffsetT {
	if len(notes) == 0 {
		return 0
	}
	pairs := make([]flatbuffers.UOffsetT, len(notes))
	for i, note := range notes {
		name, text := b.CreateString(note.Name), b.CreateString(note.Text)
		b.StartObject(2) // KeyValue
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, text, 0)
		pairs[i] = b.EndObject()
	}
	return b.CreateVectorOfTables(pairs)
}

// arrowStream encapsulates a message that has no body, and ends the stream. The length of a message is a multiple of
// eight.
func arrowStream(message []byte) []byte {
	const begins = 0xffffffff
	for len(message)%8 != 0 {
		message = append(message, 0)
	}
	stream := binary.LittleEndian.AppendUint32(nil, begins)
	stream = binary.LittleEndian.AppendUint32(stream, uint32(len(message)))
	stream = append(stream, message...)
	stream = binary.LittleEndian.AppendUint32(stream, begins)
	return binary.LittleEndian.AppendUint32(stream, 0)
}

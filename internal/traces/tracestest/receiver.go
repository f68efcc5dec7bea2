// Package tracestest receives spans as a collector does. It reads the field numbers of OTLP itself, so that it is
// independent of what encodes them.
package tracestest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Span is a span that was received.
type Span struct {
	Trace, ID, Parent string // hexadecimal; Parent is "" without a parent
	Name              string
	Kind              uint64 // 2 is a server, 3 a client
	Began, Ended      time.Time
	Attributes        map[string]any // strings and int64
	Status            uint64         // 2 is an error
	Flags             uint64
	Service           string
}

// Receiver is a collector.
type Receiver struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []Span
	headers []http.Header
	answer  http.HandlerFunc
}

// New starts a collector, which ends with the test. answer, if given, answers posts in place of taking their spans.
func New(t *testing.T, answer http.HandlerFunc) *Receiver {
	t.Helper()
	r := &Receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.headers = append(r.headers, request.Header.Clone())
		r.mu.Unlock()
		if r.answer != nil {
			r.answer(w, request)
			return
		}
		body, err := io.ReadAll(request.Body)
		if request.Method != http.MethodPost || request.URL.Path != "/v1/traces" ||
			request.Header.Get("Content-Type") != "application/x-protobuf" || err != nil {
			t.Errorf("%s %s of type %q: %v", request.Method, request.URL, request.Header.Get("Content-Type"), err)
			return
		}
		spans, err := read(body)
		if err != nil {
			t.Errorf("a body that is no OTLP: %v", err)
			return
		}
		r.mu.Lock()
		r.spans = append(r.spans, spans...)
		r.mu.Unlock()
	}))
	t.Cleanup(r.Close)
	return r
}

// Spans returns what was received.
func (r *Receiver) Spans() []Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Span(nil), r.spans...)
}

// Posts returns the headers of each post.
func (r *Receiver) Posts() []http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]http.Header(nil), r.headers...)
}

// message holds the values of each field of a message, by its number.
type message map[protowire.Number][]value

// value is a value of a field: bytes, or a number.
type value struct {
	bytes  []byte
	number uint64
}

func parse(text []byte) (message, error) {
	fields := message{}
	for len(text) > 0 {
		number, kind, length := protowire.ConsumeTag(text)
		if length < 0 {
			return nil, protowire.ParseError(length)
		}
		text = text[length:]
		var found value
		switch kind {
		case protowire.BytesType:
			found.bytes, length = protowire.ConsumeBytes(text)
		case protowire.VarintType:
			found.number, length = protowire.ConsumeVarint(text)
		case protowire.Fixed64Type:
			found.number, length = protowire.ConsumeFixed64(text)
		case protowire.Fixed32Type:
			var short uint32
			short, length = protowire.ConsumeFixed32(text)
			found.number = uint64(short)
		default:
			return nil, fmt.Errorf("field %d has the type %d", number, kind)
		}
		if length < 0 {
			return nil, protowire.ParseError(length)
		}
		fields[number] = append(fields[number], found)
		text = text[length:]
	}
	return fields, nil
}

// each parses the messages of a field.
func (m message) each(field protowire.Number, see func(message) error) error {
	for _, one := range m[field] {
		inner, err := parse(one.bytes)
		if err == nil {
			err = see(inner)
		}
		if err != nil {
			return fmt.Errorf("field %d: %w", field, err)
		}
	}
	return nil
}

func (m message) text(field protowire.Number) string {
	if len(m[field]) == 0 {
		return ""
	}
	return string(m[field][0].bytes)
}

func (m message) number(field protowire.Number) uint64 {
	if len(m[field]) == 0 {
		return 0
	}
	return m[field][0].number
}

// read reads an ExportTraceServiceRequest: resource spans (1), their scope spans (2) and spans (2).
func read(body []byte) (spans []Span, err error) {
	request, err := parse(body)
	if err != nil {
		return nil, err
	}
	err = request.each(1, func(ofResource message) error {
		resource := map[string]any{}
		if err := ofResource.each(1, func(m message) error { return m.attributes(1, resource) }); err != nil {
			return err
		}
		service, _ := resource["service.name"].(string)
		return ofResource.each(2, func(ofScope message) error {
			return ofScope.each(2, func(m message) error {
				span, err := m.span()
				span.Service = service
				spans = append(spans, span)
				return err
			})
		})
	})
	return spans, err
}

func (m message) span() (Span, error) {
	at := func(field protowire.Number) time.Time { return time.Unix(0, int64(m.number(field))) }
	id := func(field protowire.Number) string { return hex.EncodeToString([]byte(m.text(field))) }
	s := Span{Trace: id(1), ID: id(2), Parent: id(4), Name: m.text(5), Kind: m.number(6), Began: at(7), Ended: at(8),
		Flags: m.number(16), Attributes: map[string]any{}}
	if err := m.attributes(9, s.Attributes); err != nil {
		return s, err
	}
	return s, m.each(15, func(status message) error {
		s.Status = status.number(3)
		return nil
	})
}

// attributes adds the attributes of a field: key (1) and value (2), which is a text (1) or a whole number (3).
func (m message) attributes(field protowire.Number, to map[string]any) error {
	return m.each(field, func(attribute message) error {
		return attribute.each(2, func(value message) error {
			switch {
			case value[1] != nil:
				to[attribute.text(1)] = value.text(1)
			case value[3] != nil:
				to[attribute.text(1)] = int64(value.number(3))
			default:
				return fmt.Errorf("the attribute %s has another type", attribute.text(1))
			}
			return nil
		})
	})
}

package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
)

// streamFrom is the size in bytes from which a reply is sent before it is complete. A
// smaller reply is sent with its length, and a failure while it is made gives an error
// response.
const streamFrom = 64 << 10

// List is a reply of many items with meta, or one page of a longer list. Its items are encoded while it is sent.
// All rows are read before the first is sent, so a slow client keeps no read open.
type List[T, M any] struct {
	Data    []T
	Meta    M
	Listing Listing
	// Select, if set, makes an item of the reply from its whole JSON.
	Select func(item []byte) ([]byte, error)
}

// ListOf makes a complete list.
func ListOf[T, M any](data []T, meta M) List[T, M] {
	return List[T, M]{Data: data, Meta: meta, Listing: Listing{Total: uint64(len(data))}}
}

// Reply makes the reply of the list.
func (l List[T, M]) Reply() Reply {
	return Reply{Listing: &l.Listing, Write: func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 16<<10)
		_, _ = out.WriteString(`{"data":[`) // Flush returns the error of an earlier write
		if err := encodeItems(out, l.Data, l.Select); err != nil {
			return err
		}
		put := func(before string, part any) error {
			text, err := EncodePart(part)
			_, _ = out.WriteString(before)
			_, _ = out.Write(text)
			return err
		}
		if err := put(`],"meta":`, l.Meta); err != nil {
			return fmt.Errorf("encode the meta of a list: %w", err)
		}
		if l.Listing.Next != "" {
			if err := put(`,"links":`, Links{l.Listing.Next}); err != nil {
				return fmt.Errorf("encode the links of a list: %w", err)
			}
		}
		_, _ = out.WriteString("}\n")
		return out.Flush()
	}}
}

// itemsAtOnce is how many items of a list one goroutine encodes at once, about 100 kB of the longest
// rows.
const itemsAtOnce = 128

// encodeItems writes the items of a list with commas between them. Long lists are encoded on all
// processors, a few parts ahead of what is written.
func encodeItems[T any](to io.Writer, data []T, choose func([]byte) ([]byte, error)) error {
	type part struct {
		text []byte
		err  error
	}
	ahead, ended := make(chan chan part, runtime.GOMAXPROCS(0)), make(chan struct{})
	defer close(ended)
	go func() {
		defer close(ahead)
		for first := 0; first < len(data); first += itemsAtOnce {
			encoded := make(chan part, 1)
			select {
			case ahead <- encoded:
			case <-ended:
				return
			}
			go func() {
				var of part
				defer func() {
					// which would end the process, because nobody above recovers
					if caught := recover(); caught != nil {
						of.err = fmt.Errorf("encode a list: panic: %v\n%s", caught, debug.Stack())
					}
					encoded <- of
				}()
				of.text, of.err = encodeChunk(data, first, choose)
			}()
		}
	}()
	for encoded := range ahead {
		of := <-encoded
		if of.err != nil {
			return of.err
		}
		if _, err := to.Write(of.text); err != nil {
			return err
		}
	}
	return nil
}

// encodeChunk encodes itemsAtOnce items, beginning with the first one. Each has a comma before it, but the first of the
// list. choose is Select of the list.
func encodeChunk[T any](data []T, first int, choose func([]byte) ([]byte, error)) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for i := first; i < min(first+itemsAtOnce, len(data)); i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		begin := text.Len()
		if err := encoder.Encode(&data[i]); err != nil {
			return nil, fmt.Errorf("encode item %d of a list: %w", i, err)
		}
		text.Truncate(text.Len() - 1) // the line feed
		if choose != nil {
			chosen, err := choose(text.Bytes()[begin:])
			if err != nil {
				return nil, fmt.Errorf("item %d of a list: %w", i, err)
			}
			text.Truncate(begin)
			text.Write(chosen)
		}
	}
	return text.Bytes(), nil
}

// send sends a reply while it is made. After a failure it cuts the connection off, so that
// no client takes a part for the whole reply. HEAD gets only the headers.
func (s *Server) send(w http.ResponseWriter, r *http.Request, c *Call, out *Reply) {
	with := negotiate(r)
	header := w.Header()
	jsonByDefault(header)
	header.Set("ETag", `"`+with.variant(c.Validator)+`"`)
	if with != identity {
		header.Set("Content-Encoding", string(with))
	}
	w.WriteHeader(out.status)
	if r.Method == http.MethodHead {
		return
	}
	err := func() error {
		to := with.writer(w)
		for sent := 0; ; {
			text, complete, err := out.making.after(r.Context(), sent, 1)
			if err != nil {
				return err
			}
			if _, err := to.Write(text); err != nil {
				return err
			}
			if sent += len(text); complete {
				return to.Close()
			}
		}
	}()
	if err != nil {
		s.cutOff(r, err)
	}
}

// writer returns a writer that compresses into another one. The caller must close it.
func (e encoding) writer(to io.Writer) io.WriteCloser {
	if e == identity {
		return plain{to}
	}
	return compressors[e](to)
}

// plain is the writer for the identity encoding.
type plain struct{ io.Writer }

// Close implements io.Closer.
func (plain) Close() error { return nil }

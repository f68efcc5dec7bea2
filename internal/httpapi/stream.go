package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// streamFrom is the size in bytes from which a reply is sent before it is complete. A
// smaller reply is sent with its length, and a failure while it is made gives an error
// response.
const streamFrom = 64 << 10

// List gives a reply of many items, which are encoded one by one. All rows are read
// before the first is sent, so a slow client keeps no read open.
func List[T any](data []T, meta any) (Reply, error) { return Page(data, meta, "") }

// Page is List for one page, with the link to the next page, or "" for none.
func Page[T any](data []T, meta any, next string) (Reply, error) {
	return Reply{Write: func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 16<<10)
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		put := func(before string, part any) error {
			line.Reset()
			if err := encoder.Encode(part); err != nil {
				return err
			}
			_, _ = out.WriteString(before) // Flush returns the error of an earlier write
			_, _ = out.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
			return nil
		}
		before := `{"data":[`
		for i := range data {
			if err := put(before, &data[i]); err != nil {
				return fmt.Errorf("encode item %d of a list: %w", i, err)
			}
			before = ","
		}
		if len(data) == 0 {
			_, _ = out.WriteString(before)
		}
		if err := put(`],"meta":`, meta); err != nil {
			return fmt.Errorf("encode the meta of a list: %w", err)
		}
		if next != "" {
			if err := put(`,"links":`, Links{next}); err != nil {
				return fmt.Errorf("encode the links of a list: %w", err)
			}
		}
		_, _ = out.WriteString("}\n")
		return out.Flush()
	}}, nil
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

// writer gives a writer that compresses into another one. The caller must close it.
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

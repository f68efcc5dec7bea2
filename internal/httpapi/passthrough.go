package httpapi

import (
	"context"
	"io"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Stream is a reply that is sent while it is written, most often passed on from the database as it comes. It is not
// cached.
type Stream struct {
	Type  string // media type
	File  string // name under which a browser saves the reply; "": it shows the reply
	Dense bool   // the format compresses by itself, so the reply is sent as it is
	// Prompt sends each part as soon as it is written, so that a client sees that the reply goes on.
	Prompt bool
	// Listing, if set, is what the headers of a list state.
	Listing *Listing
	// Write writes the reply. If it fails, what was written is not complete. It must end when
	// its context does.
	Write func(context.Context, io.Writer) error
}

// pass sends a stream. It takes a place among the streams that run at once: a slow client keeps
// the database busy until it has read the reply or the connection has reached its time limit.
// A failure before streamFrom bytes were made becomes an error response. Later it cuts the
// connection off, so that no client takes a part for the whole reply. HEAD gets only the headers.
//
// The validator is weak: the rows are the same, but ClickHouse may split them into other blocks.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, c *Call, open func(context.Context) (Stream, error)) {
	if err := s.streams.enter(); err != nil {
		s.failCall(w, r, c, err)
		return
	}
	defer s.streams.leave()
	defer s.streams.asked()
	end, err := s.streams.turn(r.Context())
	if err != nil {
		s.failCall(w, r, c, err)
		return
	}
	defer end()
	stream, err := open(r.Context())
	if err != nil {
		s.failCall(w, r, c, err)
		return
	}
	record := recordOf(r.Context())
	record.source = fromOrigin
	to := &delayed{to: w, prompt: stream.Prompt, begin: func(length int) io.WriteCloser {
		header, with := w.Header(), identity
		if !stream.Dense && (length < 0 || length >= minCompressed) {
			with = negotiate(r)
		}
		cacheable(header)
		stream.Listing.state(header)
		header.Set("Content-Type", stream.Type)
		if stream.File != "" {
			header.Set("Content-Disposition", `attachment; filename="`+stream.File+`"`)
		}
		header.Set("ETag", `W/"`+with.variant(c.Validator)+`"`)
		if with != identity {
			header.Set("Content-Encoding", string(with))
		} else if length >= 0 {
			header.Set("Content-Length", strconv.Itoa(length))
		}
		header.Set("Server-Timing", string(fromOrigin)+";dur="+
			strconv.FormatFloat(float64(time.Since(record.began).Microseconds())/1e3, 'f', 3, 64))
		w.WriteHeader(http.StatusOK)
		return with.writer(w)
	}}
	if r.Method == http.MethodHead {
		to.begin(-1)
		return
	}
	if err := stream.Write(r.Context(), to); err != nil {
		if to.out == nil {
			s.failCall(w, r, c, err)
			return
		}
		s.cutOff(r, err)
	}
	if err := to.Close(); err != nil {
		s.cutOff(r, err)
	}
}

// cutOff ends a reply that can't be completed.
func (s *Server) cutOff(r *http.Request, err error) {
	recordOf(r.Context()).log.Warn().Err(err).Msg("a streamed reply was interrupted")
	panic(http.ErrAbortHandler)
}

// cacheable sets the headers of a reply that its caller may keep.
func cacheable(header http.Header) {
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "private, max-age=300")
	}
	header.Add("Vary", "X-Api-Key, Authorization, Accept, Accept-Encoding")
}

// delayed holds back the first streamFrom bytes of a stream. A failure until then can still
// become an error response.
type delayed struct {
	to     http.ResponseWriter
	prompt bool // holds nothing back
	held   []byte
	out    io.WriteCloser                  // nil until the response has begun
	begin  func(length int) io.WriteCloser // begins the response; length is -1 while it is unknown
}

// Write implements io.Writer.
func (d *delayed) Write(part []byte) (int, error) {
	if d.out == nil {
		if !d.prompt && len(d.held)+len(part) < streamFrom {
			d.held = append(d.held, part...)
			return len(part), nil
		}
		if err := d.release(-1); err != nil {
			return 0, err
		}
	}
	sent, err := d.out.Write(part)
	if err == nil && d.prompt {
		err = d.flush()
	}
	return sent, err
}

// flush sends what compression and the connection hold back.
func (d *delayed) flush() error {
	if compressor, is := d.out.(interface{ Flush() error }); is {
		if err := compressor.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(d.to).Flush()
}

// Close ends a stream that is complete.
func (d *delayed) Close() error {
	if d.out == nil {
		if err := d.release(len(d.held)); err != nil {
			return err
		}
	}
	return d.out.Close()
}

func (d *delayed) release(length int) error {
	d.out = d.begin(length)
	_, err := d.out.Write(d.held)
	d.held = nil
	return err
}

// Preferred returns the media type among those that the Accept header names, and "" if it prefers
// JSON or names none of them. A type that is named counts before a wildcard of the same weight,
// and JSON before other types of the same weight.
func (c *Call) Preferred(types []string) string {
	best, most, json := "", 0.0, 0.0
	for name, weight := range accepted(c.Request.Header) {
		if name == "application/json" {
			json = max(json, weight)
		}
		for _, one := range types {
			if name == one && weight > most {
				best, most = one, weight
			}
		}
	}
	if json >= most {
		return ""
	}
	return best
}

// accepted returns the media types that the Accept header names, with their weights from 0 to 1.
func accepted(header http.Header) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, listed := range strings.Split(strings.Join(header.Values("Accept"), ","), ",") {
			name, parameters, err := mime.ParseMediaType(listed)
			if err != nil {
				continue
			}
			weight := 1.0
			if q, given := parameters["q"]; given {
				if weight, err = strconv.ParseFloat(q, 64); err != nil || !(weight >= 0 && weight <= 1) {
					continue
				}
			}
			if !yield(name, weight) {
				return
			}
		}
	}
}

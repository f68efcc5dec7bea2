package httpapi

import (
	"bytes"
	"io"
	"sync"
)

// bodies are buffers for replies that are assembled from parts. They are large, and only
// needed until the reply is sent.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptBody is the largest buffer in bytes that is reused, so that a rare huge reply does
// not stay in memory.
const maxKeptBody = 4 << 20

// Assembled makes a reply in a buffer that is reused after the reply is sent. build appends
// the JSON of the reply to the buffer.
func Assembled(build func(body []byte) []byte) Reply {
	buffer := bodies.Get().(*[]byte)
	*buffer = build((*buffer)[:0])
	return reusable(buffer)
}

// written makes a reply in such a buffer from a function that writes it.
func written(write func(io.Writer) error) (Reply, error) {
	buffer := bodies.Get().(*[]byte)
	body := bytes.NewBuffer((*buffer)[:0])
	err := write(body)
	*buffer = body.Bytes()
	reply := reusable(buffer)
	if err != nil {
		reply.release()
	}
	return reply, err
}

// reusable is a reply whose body is in a buffer of bodies.
func reusable(buffer *[]byte) Reply {
	return Reply{Body: *buffer, Release: func() {
		if cap(*buffer) <= maxKeptBody {
			bodies.Put(buffer)
		}
	}}
}

package httpapi

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// Reply is the response of an operation that succeeded.
type Reply struct {
	Body []byte // JSON; nil if Write is set
	// Write, if set, makes the body piece by piece. Only a reply with a version may have it,
	// because the response cache calls it. A reply of Memory is complete before it is sent.
	Write func(io.Writer) error
	// File, if set, is the reply, and Body is nil. Only a reply of Make without a version may
	// have it.
	File *File
	// Release, if set, is called once, when the body is not needed any more. Only a reply of
	// Memory may have it, because replies of Make may be sent to several callers.
	Release func()
	// Listing, if set, is what the headers of a list state. JSON and List set it.
	Listing *Listing

	status int // 0 means 200
	stream func(context.Context) (Stream, error)
	source source
	making *sharedResponse // the body, if it is sent while it is made
	place  *capacity       // where the reply has a place; nil if it has none
}

// release gives up the body and the place of a reply. Only the first call does anything.
func (r *Reply) release() {
	if r.Release != nil {
		r.Release()
	}
	if r.place != nil {
		r.place.leave()
	}
	r.Release, r.place, r.Body = nil, nil, nil
}

// ReplyOf makes the reply of what an operation has found: that of its method Reply, which a List has, or its JSON.
func ReplyOf(found any) (Reply, error) {
	if list, is := found.(interface{ Reply() Reply }); is {
		return list.Reply(), nil
	}
	return JSON(found)
}

// JSON is a reply whose body is the JSON of a value.
func JSON(body any) (Reply, error) {
	text, err := Encode(body)
	return Reply{Body: text, Listing: listingOf(body)}, err
}

// Resource is an item of a reply (JSON:API). A is the type of its attributes.
type Resource[A any] struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Attributes A      `json:"attributes"`
}

// NewResource makes an item.
func NewResource[A any](id, kind string, attributes A) Resource[A] {
	return Resource[A]{id, kind, attributes}
}

// Items is a reply of items without meta.
type Items[A any] struct {
	Data []Resource[A] `json:"data"`
}

// Item is a reply of one item.
type Item[A any] struct {
	Data Resource[A] `json:"data"`
}

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

// TextOf returns the body of a reply that an operation has made for a part of its own.
func TextOf(reply Reply) ([]byte, error) {
	if reply.Write == nil {
		return reply.Body, nil
	}
	var text bytes.Buffer
	err := reply.Write(&text)
	return text.Bytes(), err
}

// reusable is a reply whose body is in a buffer of bodies.
func reusable(buffer *[]byte) Reply {
	return Reply{Body: *buffer, Release: func() {
		if cap(*buffer) <= maxKeptBody {
			bodies.Put(buffer)
		}
	}}
}

package chdb

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Conn is one session of the engine. It runs one statement at a time and keeps
// the settings and the current database given to it. It is not safe for
// concurrent use.
type Conn struct {
	library *Library
	handle  unsafe.Pointer // chdb_connection *
	session unsafe.Pointer // chdb_connection
}

// Connect opens a session on the engine whose data directory is named by a
// "--path=" argument, booting the engine when it is the first. The engine
// ignores arguments that it doesn't know, and most of those given after the
// first connection; use SET for settings. Why a connect failed stands only on
// the process's standard error.
func (l *Library) Connect(arguments ...string) (*Conn, error) {
	// argv and its strings must not move while C reads them.
	var pin runtime.Pinner
	defer pin.Unpin()
	argv := make([]unsafe.Pointer, 0, len(arguments)+2)
	for _, argument := range append([]string{"clickhouse"}, arguments...) {
		text := append([]byte(argument), 0)
		pin.Pin(&text[0])
		argv = append(argv, unsafe.Pointer(&text[0]))
	}
	argc := int32(len(argv))
	argv = append(argv, nil)
	pin.Pin(&argv[0])

	restore := l.saveSignals()
	defer restore()
	handle := l.connect(argc, unsafe.Pointer(&argv[0]))
	if handle == nil {
		return nil, errors.New("the engine refused the connection and wrote the reason to standard error")
	}
	session := *(*unsafe.Pointer)(handle)
	if session == nil {
		return nil, errors.New("the engine opened no session")
	}
	return &Conn{library: l, handle: handle, session: session}, nil
}

// Close ends the session. Closing the last one stops the engine.
func (c *Conn) Close() {
	if c.handle != nil {
		c.library.closeConn(c.handle)
		c.handle, c.session = nil, nil
	}
}

// Param is the value of a {name:Type} placeholder, in the escaped text form
// that the ClickHouse HTTP interface uses for param_name.
type Param struct{ Name, Value string }

// Error is what the engine said of a statement that failed, for instance
// "Code: 60. DB::Exception: Unknown table …".
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Query runs one statement to its end and answers its whole output in format.
// The format clause of the statement, if it has one, wins.
func (c *Conn) Query(text, format string, params []Param) (*Result, error) {
	call := newCall(text, format, params)
	defer call.pin.Unpin()
	return c.library.result(c.library.query(c.session, call.text, call.textLen, call.format, call.formatLen,
		call.names, call.nameLens, call.values, call.valueLens, call.params))
}

// Result owns output of the engine until Free.
type Result struct {
	library *Library
	handle  unsafe.Pointer
}

func (l *Library) result(handle unsafe.Pointer) (*Result, error) {
	if handle == nil {
		return nil, errors.New("the engine answered nothing")
	}
	if message := l.resultError(handle); message != nil {
		err := &Error{Message: goString(message)}
		l.destroy(handle)
		return nil, err
	}
	return &Result{library: l, handle: handle}, nil
}

// Bytes is the output. It lies in memory of the engine and is gone after Free.
func (r *Result) Bytes() []byte {
	n := r.library.resultLength(r.handle)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(r.library.resultBuffer(r.handle)), n)
}

// Progress tells how many rows and bytes were read from tables and how many
// rows were written, those of materialized views included.
func (r *Result) Progress() Progress {
	return Progress{
		RowsRead:    r.library.resultRowsRead(r.handle),
		BytesRead:   r.library.resultBytesRead(r.handle),
		RowsWritten: r.library.resultRowsWritten(r.handle),
	}
}

// Free gives the output back to the engine.
func (r *Result) Free() {
	if r.handle != nil {
		r.library.destroy(r.handle)
		r.handle = nil
	}
}

// Progress counts what a statement did.
type Progress struct{ RowsRead, BytesRead, RowsWritten uint64 }

// Stream is a SELECT whose output is fetched in chunks. It occupies its
// connection until Close.
type Stream struct {
	conn   *Conn
	handle unsafe.Pointer
	ended  bool
}

// Stream starts a SELECT. Each chunk is complete in itself, so only formats
// without a header or a footer may be used. Other kinds of statement fail here
// without having been run.
func (c *Conn) Stream(text, format string, params []Param) (*Stream, error) {
	call := newCall(text, format, params)
	defer call.pin.Unpin()
	result, err := c.library.result(c.library.stream(c.session, call.text, call.textLen, call.format, call.formatLen,
		call.names, call.nameLens, call.values, call.valueLens, call.params))
	if err != nil {
		return nil, err
	}
	return &Stream{conn: c, handle: result.handle}, nil
}

// Next answers the next chunk, which the caller frees, or nil at the end.
func (s *Stream) Next() (*Result, error) {
	if s.ended {
		return nil, nil
	}
	result, err := s.conn.library.result(s.conn.library.fetch(s.conn.session, s.handle))
	if err != nil {
		s.ended = true
		return nil, err
	}
	if s.conn.library.resultLength(result.handle) == 0 {
		s.ended = true
		result.Free()
		return nil, nil
	}
	return result, nil
}

// Close ends the SELECT, cancelling it when its output was not fetched whole.
func (s *Stream) Close() {
	if s.handle == nil {
		return
	}
	if !s.ended {
		s.conn.library.cancelStream(s.conn.session, s.handle)
	}
	s.conn.library.destroy(s.handle)
	s.handle = nil
}

// Insert is an INSERT whose data is pushed in pieces. It occupies its
// connection until Close, and stores nothing that is certain before Done.
type Insert struct {
	conn   *Conn
	handle unsafe.Pointer
	done   bool
}

// Insert starts an INSERT given without its FORMAT clause and data; format is
// that of the data. INSERT … SELECT fails here.
func (c *Conn) Insert(text, format string, params []Param) (*Insert, error) {
	call := newCall(text, format, params)
	defer call.pin.Unpin()
	i := &Insert{conn: c, handle: c.library.insert(c.session, call.text, call.textLen, call.format, call.formatLen,
		call.names, call.nameLens, call.values, call.valueLens, call.params)}
	if i.handle == nil {
		return nil, errors.New("the engine opened no insert")
	}
	if err := i.failure(); err != nil {
		i.Close()
		return nil, err
	}
	return i, nil
}

func (i *Insert) failure() error {
	if message := i.conn.library.insertError(i.handle); message != nil {
		return &Error{Message: goString(message)}
	}
	return nil
}

// Append pushes the next piece of the data; the engine copies it. Pieces need
// not end where rows end. After an error the reason is told by Done.
func (i *Insert) Append(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var pin runtime.Pinner
	pin.Pin(&data[0])
	defer pin.Unpin()
	if i.conn.library.insertAppend(i.handle, unsafe.Pointer(&data[0]), uintptr(len(data))) == 0 {
		return nil
	}
	if err := i.failure(); err != nil {
		return err
	}
	return errors.New("the engine takes no more data")
}

// Done ends the data and waits until the engine has stored it.
func (i *Insert) Done() (Progress, error) {
	i.done = true
	result, err := i.conn.library.result(i.conn.library.insertDone(i.handle))
	if err != nil {
		return Progress{}, err
	}
	defer result.Free()
	return result.Progress(), nil
}

// Close frees the insert. One that was not Done is cancelled.
func (i *Insert) Close() {
	if i.handle == nil {
		return
	}
	if !i.done {
		i.conn.library.insertCancel(i.handle)
	}
	i.conn.library.insertDestroy(i.handle)
	i.handle = nil
}

// Class says what a statement does to what outlives it.
type Class uint32

// The classes, in ascending order of danger.
const (
	ReadOnly       Class = iota // SELECT, SHOW, DESCRIBE, EXPLAIN, EXISTS, CHECK
	Mutating                    // INSERT, CREATE, ALTER, DROP, …: changes databases
	MutatingGlobal              // functions, users, named collections, the system database
	Control                     // USE, SET, SYSTEM, KILL, ATTACH, INTO OUTFILE, INSERT INTO FUNCTION, …
	Unknown                     // did not parse, or a kind that the engine does not class
)

// Analysis is what the engine's parser says of a text before it is run.
type Analysis struct {
	Statements uint32 // 0 when it does not parse; both arms of PARALLEL WITH count
	Class      Class  // the most dangerous of the statements
}

// Classify parses text as the session would and runs nothing.
func (c *Conn) Classify(text string) (Analysis, error) {
	var report struct{ size, statements, flags, class uint32 }
	report.size = uint32(unsafe.Sizeof(report))
	call := newCall(text, "", nil)
	defer call.pin.Unpin()
	call.pin.Pin(&report)
	if c.library.classify(c.session, call.text, call.textLen, nil, 0, unsafe.Pointer(&report)) != 0 {
		return Analysis{}, fmt.Errorf("the engine could not classify the statement")
	}
	return Analysis{Statements: report.statements, Class: Class(report.class)}, nil
}

// call holds the arguments of one call in memory that doesn't move while C
// reads it.
type call struct {
	pin                                runtime.Pinner
	text, format                       unsafe.Pointer
	textLen, formatLen                 uintptr
	names, nameLens, values, valueLens unsafe.Pointer
	params                             uintptr
}

func newCall(text, format string, params []Param) *call {
	c := &call{}
	c.text, c.textLen = c.bytes(text), uintptr(len(text))
	c.format, c.formatLen = c.bytes(format), uintptr(len(format))
	if len(params) == 0 {
		return c
	}
	names, values := make([]unsafe.Pointer, len(params)), make([]unsafe.Pointer, len(params))
	nameLens, valueLens := make([]uintptr, len(params)), make([]uintptr, len(params))
	for i, p := range params {
		names[i], nameLens[i] = c.bytes(p.Name), uintptr(len(p.Name))
		values[i], valueLens[i] = c.bytes(p.Value), uintptr(len(p.Value))
	}
	c.pin.Pin(&names[0])
	c.pin.Pin(&nameLens[0])
	c.pin.Pin(&values[0])
	c.pin.Pin(&valueLens[0])
	c.names, c.nameLens = unsafe.Pointer(&names[0]), unsafe.Pointer(&nameLens[0])
	c.values, c.valueLens = unsafe.Pointer(&values[0]), unsafe.Pointer(&valueLens[0])
	c.params = uintptr(len(params))
	return c
}

// bytes pins a NUL-terminated copy of s: the engine is given lengths, but an
// empty text still needs an address.
func (c *call) bytes(s string) unsafe.Pointer {
	b := append([]byte(s), 0)
	c.pin.Pin(&b[0])
	return unsafe.Pointer(&b[0])
}

func goString(p unsafe.Pointer) string {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// Package chdb binds the C functions of libchdb, the ClickHouse engine built
// as a shared library, that the embedded server needs. It adds Go types, the
// rules of ownership and errors; which statements may run, when and for whom
// is decided by the package above.
//
// The library keeps one engine per process, with one data directory. Load
// opens the library, the first Connect boots the engine, and closing the last
// connection stops it, after which a Connect may name another directory.
package chdb

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Library is the opened shared library. It stays mapped until the process
// ends: the engine's threads run its code.
type Library struct {
	connect      func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn    func(conn unsafe.Pointer)
	query        func(conn, text unsafe.Pointer, textLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, params uintptr) unsafe.Pointer
	stream       func(conn, text unsafe.Pointer, textLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, params uintptr) unsafe.Pointer
	fetch        func(conn, stream unsafe.Pointer) unsafe.Pointer
	cancelStream func(conn, stream unsafe.Pointer)
	destroy      func(result unsafe.Pointer)

	resultBuffer      func(result unsafe.Pointer) unsafe.Pointer
	resultLength      func(result unsafe.Pointer) uintptr
	resultError       func(result unsafe.Pointer) unsafe.Pointer
	resultRowsWritten func(result unsafe.Pointer) uint64
	resultRowsRead    func(result unsafe.Pointer) uint64
	resultBytesRead   func(result unsafe.Pointer) uint64

	insert        func(conn, text unsafe.Pointer, textLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, params uintptr) unsafe.Pointer
	insertAppend  func(stream, data unsafe.Pointer, n uintptr) int32
	insertDone    func(stream unsafe.Pointer) unsafe.Pointer
	insertCancel  func(stream unsafe.Pointer)
	insertError   func(stream unsafe.Pointer) unsafe.Pointer
	insertDestroy func(stream unsafe.Pointer)

	classify func(conn, text unsafe.Pointer, textLen uintptr, database unsafe.Pointer, databaseLen uintptr, out unsafe.Pointer) int32

	setSignalHandlers func(enabled int32)
	sigaction         func(signal int32, act, old unsafe.Pointer) int32
}

var loading struct {
	sync.Mutex
	path    string
	library *Library
}

// Load opens the shared library at path and prepares the process for it: the
// C library's time zone becomes UTC, whatever the host's, and the engine is
// kept from replacing the signal handlers of the Go runtime. A process opens
// one library: a second Load of the same path answers the first, another path
// is an error.
func Load(path string) (*Library, error) {
	loading.Lock()
	defer loading.Unlock()
	if loading.library != nil {
		if loading.path != path {
			return nil, fmt.Errorf("engine library %s: this process already runs %s", path, loading.path)
		}
		return loading.library, nil
	}

	libc, err := purego.Dlopen("", purego.RTLD_NOW)
	if err != nil {
		return nil, fmt.Errorf("open the C library: %w", err)
	}
	l := &Library{}
	var setenv func(name, value string, overwrite int32) int32
	if err := register(libc, map[string]any{"sigaction": &l.sigaction, "setenv": &setenv}); err != nil {
		return nil, err
	}
	// The engine takes its time zone from TZ of the C environment when it
	// first needs one. Go keeps its own copy of the environment, so time.Local
	// is not moved by this.
	if setenv("TZ", "UTC", 1) != 0 {
		return nil, fmt.Errorf("set the engine's time zone: setenv failed")
	}

	restore := l.saveSignals()
	defer restore()
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("open the engine library %s: %w", path, err)
	}
	err = register(handle, map[string]any{
		"chdb_connect":                     &l.connect,
		"chdb_close_conn":                  &l.closeConn,
		"chdb_query_with_params_n":         &l.query,
		"chdb_stream_query_with_params_n":  &l.stream,
		"chdb_stream_fetch_result":         &l.fetch,
		"chdb_stream_cancel_query":         &l.cancelStream,
		"chdb_destroy_query_result":        &l.destroy,
		"chdb_result_buffer":               &l.resultBuffer,
		"chdb_result_length":               &l.resultLength,
		"chdb_result_error":                &l.resultError,
		"chdb_result_rows_written":         &l.resultRowsWritten,
		"chdb_result_storage_rows_read":    &l.resultRowsRead,
		"chdb_result_storage_bytes_read":   &l.resultBytesRead,
		"chdb_stream_insert_with_params_n": &l.insert,
		"chdb_stream_append":               &l.insertAppend,
		"chdb_stream_done":                 &l.insertDone,
		"chdb_stream_cancel_insert":        &l.insertCancel,
		"chdb_stream_insert_error":         &l.insertError,
		"chdb_destroy_insert_stream":       &l.insertDestroy,
		"chdb_classify_query_n":            &l.classify,
		"chdb_set_signal_handlers_enabled": &l.setSignalHandlers,
	})
	if err != nil {
		return nil, fmt.Errorf("engine library %s: %w", path, err)
	}
	l.setSignalHandlers(0)
	loading.path, loading.library = path, l
	return l, nil
}

// register binds each named symbol of handle to the function variable given
// for it. Looking the symbol up first turns a library of another version into
// an error; purego alone would panic.
func register(handle uintptr, symbols map[string]any) error {
	for name, function := range symbols {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return fmt.Errorf("symbol %s is missing: %w", name, err)
		}
		purego.RegisterFunc(function, address)
	}
	return nil
}

// sigactionSize is generous: struct sigaction has 152 bytes on 64-bit Linux
// and fewer on Darwin.
const sigactionSize = 256

// signals are those that Go handles and a ClickHouse process may take over.
var signals = []syscall.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT,
	syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGCHLD,
	syscall.SIGTSTP, syscall.SIGURG, syscall.SIGPROF, syscall.SIGUSR1, syscall.SIGUSR2,
}

// saveSignals keeps the process's signal handlers and answers a function that
// puts them back. Without it a crash, a preemption of a goroutine or a ^C
// would end in the engine's handlers, and the Go runtime would never see it.
func (l *Library) saveSignals() (restore func()) {
	saved := make([][sigactionSize]byte, len(signals))
	for i, s := range signals {
		l.sigaction(int32(s), nil, unsafe.Pointer(&saved[i][0]))
	}
	return func() {
		for i, s := range signals {
			l.sigaction(int32(s), unsafe.Pointer(&saved[i][0]), nil)
		}
		runtime.KeepAlive(saved)
	}
}

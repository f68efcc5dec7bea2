package clickhouse

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// What the environment tells a process that is to be the engine.
const (
	configVariable   = "CUOTA_ENGINE_CONFIG"   // path of config.xml
	libraryVariable  = "CUOTA_ENGINE_LIBRARY"  // path of libchdb.so
	binaryVariable   = "CUOTA_ENGINE_BINARY"   // path of an installed clickhouse, instead of the library
	confinedVariable = "CUOTA_ENGINE_CONFINED" // set once the kernel confines the process
)

// Host turns this process into the engine if it was started to be that, and does
// not return then. Each program that starts a Server calls it first in main, and
// each test binary first in TestMain, for a Server starts its own program again.
func Host() {
	config := os.Getenv(configVariable)
	if config == "" {
		return
	}
	var err error
	if binary := os.Getenv(binaryVariable); binary != "" {
		err = hostBinary(binary, config)
	} else {
		err = hostLibrary(os.Getenv(libraryVariable), config)
	}
	fmt.Fprintln(os.Stderr, err) // the parent puts it into its log
	os.Exit(1)
}

// parentEnded returns when the parent has closed its end of the connection on standard
// input, or has ended.
func parentEnded() { _, _ = io.Copy(io.Discard, os.Stdin) }

// holdListeners is the statement under which the library keeps serving: it opens
// the listeners, and then reads numbers for ever without using the processor.
const holdListeners = "SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; " +
	"SELECT sleep(3) FROM system.numbers SETTINGS max_block_size = 1 FORMAT Null"

// hostLibrary runs the engine's library inside this process until the parent ends.
func hostLibrary(library, config string) error {
	if os.Getenv(confinedVariable) == "" {
		if err := confine(library, config); err != nil {
			return fmt.Errorf("confine the engine: %w", err)
		}
	}
	go func() {
		parentEnded()
		os.Exit(0)
	}()
	// The library wants one thread for the whole of its life.
	runtime.LockOSThread()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("open the engine's library: %w", err)
	}
	var run func(argc int32, argv **byte) unsafe.Pointer
	var failure func(result unsafe.Pointer) string
	for name, function := range map[string]any{"chdb_query_cmdline": &run, "chdb_result_error": &failure} {
		address, err := purego.Dlsym(handle, name) // RegisterLibFunc would panic
		if err != nil {
			return fmt.Errorf("the engine's library %s is of another version: %w", library, err)
		}
		purego.RegisterFunc(function, address)
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	var argv []*byte
	for _, argument := range []string{"clickhouse", "-C", config, "-q", holdListeners} {
		text := append([]byte(argument), 0)
		pin.Pin(&text[0])
		argv = append(argv, &text[0])
	}
	argc := int32(len(argv))
	argv = append(argv, nil)
	pin.Pin(&argv[0])
	if result := run(argc, &argv[0]); result != nil {
		return errors.New(failure(result))
	}
	return errors.New("the engine ended without saying why")
}

// hostBinary runs an installed ClickHouse below this process until the parent ends.
func hostBinary(binary, config string) error {
	// What ends this process must not leave the server behind.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	runtime.LockOSThread() // the kernel ends the server with the thread that started it
	server := exec.Command(binary, "server", "-C", config)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	bindToParent(server)
	if err := server.Start(); err != nil {
		return fmt.Errorf("start %s: %w", binary, err)
	}
	go func() {
		select {
		case <-signals:
		case <-closing(parentEnded):
		}
		_ = server.Process.Kill()
	}()
	if err := server.Wait(); err != nil {
		return fmt.Errorf("%s ended: %w", binary, err)
	}
	return fmt.Errorf("%s ended", binary)
}

// closing gives a channel that is closed when the wait is over.
func closing(wait func()) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		wait()
		close(over)
	}()
	return over
}

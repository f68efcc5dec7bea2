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

// Environment variables of a process that is to become the engine.
const (
	configVariable   = "CUOTA_ENGINE_CONFIG"   // path of config.xml
	libraryVariable  = "CUOTA_ENGINE_LIBRARY"  // path of libchdb.so
	binaryVariable   = "CUOTA_ENGINE_BINARY"   // path of an installed clickhouse, instead of the library
	confinedVariable = "CUOTA_ENGINE_CONFINED" // set once the kernel confines the process
)

// Host turns this process into the engine if a Server has started it for that, and then does
// not return. Otherwise it returns at once. A Server starts its own program again. So every
// program that starts a Server must call Host first in main, and every test binary first in
// TestMain.
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
	fmt.Fprintln(os.Stderr, err) // the parent process logs it
	os.Exit(1)
}

// parentEnded waits until the parent closes its end of the socket on standard input, or ends.
func parentEnded() { _, _ = io.Copy(io.Discard, os.Stdin) }

// holdListeners is the statement that keeps the library serving. It opens the listeners and
// then runs for ever without using the CPU.
const holdListeners = "SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; " +
	"SELECT sleep(3) FROM system.numbers SETTINGS max_block_size = 1 FORMAT Null"

// hostLibrary runs the engine's library in this process until the parent ends. It returns only
// after an error.
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
	return offMainThread(func() error { return runLibrary(library, config) })
}

// offMainThread runs a function in a thread of its own that is not the first one of the process. In
// the first one the library would read /proc/self/maps, to learn the size of its stack, and the
// kernel keeps that file from the engine.
func offMainThread(run func() error) error {
	ended := make(chan error)
	var attempt func()
	attempt = func() {
		runtime.LockOSThread()
		if onMainThread() {
			go attempt() // in another thread, because this goroutine keeps this one
			select {}
		}
		ended <- run()
	}
	go attempt()
	return <-ended
}

// runLibrary runs the engine's library in this thread. It returns only after an error.
func runLibrary(library, config string) error {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("open the engine's library: %w", err)
	}
	var run func(argc int32, argv **byte) unsafe.Pointer
	var failure func(result unsafe.Pointer) string
	for name, function := range map[string]any{"chdb_query_cmdline": &run, "chdb_result_error": &failure} {
		address, err := purego.Dlsym(handle, name) // RegisterLibFunc would panic if the function is missing
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
	return errors.New("the engine ended without an error message")
}

// hostBinary runs an installed ClickHouse as a child until the parent ends. It returns an error
// when the child has ended.
func hostBinary(binary, config string) error {
	// A signal that ends this process must end the server too.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	runtime.LockOSThread() // the kernel kills the server when the thread that started it ends
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

// closing returns a channel that is closed when wait has returned.
func closing(wait func()) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		wait()
		close(over)
	}()
	return over
}

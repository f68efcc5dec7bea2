package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
	"cuota/projector"
)

// "cuota backup" needs a copy of the tables at one moment. Only the process that holds the
// data directory can make it: it knows the engine's password and can have the projector
// pause. Others ask it over a Unix socket in a folder that its owner alone may
// enter. A connection asks for a copy by being opened, and is answered with one line of
// JSON, a copyReply. The copy lasts until the connection ends
// (docs/decisions/0036-backups.md).

// copyReply says where the copy is, or why there is none.
type copyReply struct {
	Dir    string             `json:"dir,omitempty"`
	Tables []clickhouse.Table `json:"tables,omitempty"`
	Error  string             `json:"error,omitempty"`
}

// makeCopy copies the tables as they are at one moment.
type makeCopy func(context.Context) (*clickhouse.Backup, error)

// errServer says that the tables are not in the data directory.
var errServer = errors.New("the tables are on the ClickHouse server that CUOTA_CLICKHOUSE names: back them up there, as docs/operations.md says")

// copyHeld has the projector pause while the tables are copied.
func (e *engines) copyHeld(p *projector.Projector) makeCopy {
	return func(ctx context.Context) (made *clickhouse.Backup, err error) {
		if e.clickhouse == nil {
			return nil, errServer
		}
		err = p.Hold(ctx, func(ctx context.Context) error {
			made, err = e.clickhouse.Backup(ctx)
			return err
		})
		return made, err
	}
}

// copies serves the socket until close.
type copies struct {
	listener   net.Listener
	folder     *os.File
	copyTables makeCopy
	log        zerolog.Logger

	cancel context.CancelFunc
	served sync.WaitGroup

	mu      sync.Mutex
	reading *copyReader // nil: no copy is there
}

// copyReader is the connection whose copy is being made or is there.
type copyReader struct {
	left chan struct{} // closed when the client has gone
	done chan struct{} // closed when its copy has gone as well
}

// goneWithin is how long after the end of a client its connection has ended too.
const goneWithin = 2 * time.Second

const copySocket = "backup.sock"

func serveCopies(dir *directory, copyTables makeCopy, log zerolog.Logger) (*copies, error) {
	if err := os.MkdirAll(dir.control(), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the socket for backups: %w", err)
	}
	folder, address, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	// A process that was killed leaves its socket. This one holds the directory.
	err = os.Remove(filepath.Join(dir.control(), copySocket))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var listener net.Listener
	if err == nil {
		listener, err = net.Listen("unix", address)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for cuota backup: %w", err), folder.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &copies{listener: listener, folder: folder, copyTables: copyTables, log: log, cancel: cancel}
	c.served.Go(func() { c.accept(ctx) })
	return c, nil
}

// socketAddress gives the address of the socket. An address has 108 bytes at most, and a
// path may be longer; so on Linux it is that of the open folder.
func socketAddress(dir *directory) (folder *os.File, address string, err error) {
	if folder, err = os.Open(dir.control()); err != nil {
		return nil, "", fmt.Errorf("open the folder of the socket for backups: %w", err)
	}
	if runtime.GOOS != "linux" {
		return folder, filepath.Join(dir.control(), copySocket), nil
	}
	return folder, fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), copySocket), nil
}

func (c *copies) accept(ctx context.Context) {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			if ctx.Err() == nil {
				c.log.Error().Err(err).Msg("the socket for cuota backup stopped serving")
			}
			return
		}
		c.served.Go(func() {
			if err := c.serve(ctx, conn); err != nil {
				c.log.Error().Err(err).Msg("could not serve cuota backup")
			}
		})
	}
}

// begin makes a connection the one whose copy is there. It waits for the copy of a client
// that has gone, as one that was killed has, and gives nil beside one that still reads.
func (c *copies) begin(ctx context.Context) *copyReader {
	patience := time.NewTimer(goneWithin)
	defer patience.Stop()
	for {
		c.mu.Lock()
		before := c.reading
		if before == nil {
			mine := &copyReader{left: make(chan struct{}), done: make(chan struct{})}
			c.reading = mine
			c.mu.Unlock()
			return mine
		}
		c.mu.Unlock()
		select {
		case <-before.left:
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return nil
		}
		select {
		case <-before.done:
		case <-ctx.Done():
			return nil
		}
	}
}

func (c *copies) end(r *copyReader) {
	c.mu.Lock()
	c.reading = nil
	c.mu.Unlock()
	close(r.done)
}

// serve makes a copy for a connection, and removes it when the connection ends.
func (c *copies) serve(ctx context.Context, conn net.Conn) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer cancel()
	reader := c.begin(ctx)
	if reader == nil {
		return json.NewEncoder(conn).Encode(copyReply{Error: "another cuota backup is copying this data directory; wait until it has ended"})
	}
	defer c.end(reader)
	go func() {
		defer close(reader.left)
		_, _ = io.Copy(io.Discard, conn)
		cancel()
	}()
	defer func() {
		_ = conn.Close()
		<-reader.left
	}()
	made, err := c.copyTables(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil // nobody waits for it any more
		}
		return json.NewEncoder(conn).Encode(copyReply{Error: err.Error()})
	}
	defer func() { err = errors.Join(err, made.Remove()) }()
	if err := json.NewEncoder(conn).Encode(copyReply{Dir: made.Dir, Tables: made.Tables}); err != nil {
		return nil // as above
	}
	<-reader.left
	return nil
}

// close ends every copy that is being made or read.
func (c *copies) close() error {
	c.cancel()
	err := c.listener.Close()
	c.served.Wait()
	return errors.Join(err, c.folder.Close())
}

// askForCopy has the process that holds the directory copy its tables. The copy is there
// until release is called.
func askForCopy(ctx context.Context, dir *directory) (made *clickhouse.Backup, release func() error, err error) {
	folder, address, err := socketAddress(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; is another version of cuota running?", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, nil, fmt.Errorf("ask the process that works on %s for a copy of its tables: %w; if it is starting or stopping, try again in a moment", dir.path, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	var reply copyReply
	err = json.NewDecoder(conn).Decode(&reply)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = fmt.Errorf("the process that works on %s ended while it copied its tables; try again: %w", dir.path, err)
	case reply.Error != "":
		err = errors.New(reply.Error)
	}
	if err != nil {
		stop()
		return nil, nil, errors.Join(err, conn.Close())
	}
	return &clickhouse.Backup{Dir: reply.Dir, Tables: reply.Tables}, func() error {
		if !stop() {
			return nil // the context has closed it
		}
		return conn.Close()
	}, nil
}

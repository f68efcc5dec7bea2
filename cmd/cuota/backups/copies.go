package backups

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

	"cuota/cmd/cuota/datadir"
	"cuota/internal/embedded/clickhouse"
	"cuota/projector"
)

// "cuota backup" needs a copy of all tables at one moment. Only the process that holds
// the data directory can make it, because it knows the engine's password and can make
// the projector pause. Other processes ask it over a Unix socket, in a directory that
// only its owner may enter. Opening a connection asks for a copy. The answer is one line
// of JSON, a copyReply. The copy exists until the client closes its side of the connection. The
// server closes the other side when it has deleted the copy (docs/decisions/0036-backups.md).

// copyReply says where the copy is, or why there is none.
type copyReply struct {
	Dir    string             `json:"dir,omitempty"`
	Tables []clickhouse.Table `json:"tables,omitempty"`
	Error  string             `json:"error,omitempty"`
}

// MakeCopy copies all tables as they are at one moment.
type MakeCopy func(context.Context) (*clickhouse.Backup, error)

// errServer says that the tables are not in the data directory.
var errServer = errors.New(
	"the tables are on the ClickHouse server that CUOTA_CLICKHOUSE names: back them up there, as docs/operations.md " +
		"says")

// CopyHeld returns a MakeCopy during which the projector pauses.
func CopyHeld(e *datadir.Engines, p *projector.Projector) MakeCopy {
	return func(ctx context.Context) (made *clickhouse.Backup, err error) {
		if e.ClickHouse == nil {
			return nil, errServer
		}
		err = p.Hold(ctx, func(ctx context.Context) error {
			made, err = e.ClickHouse.Backup(ctx)
			return err
		})
		return made, err
	}
}

// Copies answers connections to the socket until Close.
type Copies struct {
	listener   net.Listener
	folder     *os.File
	copyTables MakeCopy
	log        zerolog.Logger

	cancel context.CancelFunc
	served sync.WaitGroup

	mu      sync.Mutex
	reading *copyReader // the connection that has a copy; nil: none
}

// copyReader is the connection for which a copy is being made or exists.
type copyReader struct {
	left chan struct{} // closed when the client has disconnected
	done chan struct{} // closed when its copy has been deleted
}

// goneWithin bounds the time between the end of a client and the end of its connection.
const goneWithin = 2 * time.Second

const copySocket = "backup.sock"

// ServeCopies listens on the socket in the directory, which this process holds.
func ServeCopies(dir *datadir.Directory, copyTables MakeCopy, log zerolog.Logger) (*Copies, error) {
	if err := os.MkdirAll(dir.Control(), 0o700); err != nil {
		return nil, fmt.Errorf("create the directory of the backup socket: %w", err)
	}
	folder, address, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	// A process that was killed leaves its socket file. This process holds the
	// directory, so it may remove it.
	err = os.Remove(filepath.Join(dir.Control(), copySocket))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var listener net.Listener
	if err == nil {
		listener, err = net.Listen("unix", address)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on the backup socket: %w", err), folder.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Copies{listener: listener, folder: folder, copyTables: copyTables, log: log, cancel: cancel}
	c.served.Go(func() { c.accept(ctx) })
	return c, nil
}

// socketAddress returns the address of the socket. A socket address has at most 108
// bytes and a path may be longer, so on Linux the address goes through the file
// descriptor of the open directory.
func socketAddress(dir *datadir.Directory) (folder *os.File, address string, err error) {
	if folder, err = os.Open(dir.Control()); err != nil {
		return nil, "", fmt.Errorf("open the directory of the backup socket: %w", err)
	}
	if runtime.GOOS != "linux" {
		return folder, filepath.Join(dir.Control(), copySocket), nil
	}
	return folder, fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), copySocket), nil
}

func (c *Copies) accept(ctx context.Context) {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			if ctx.Err() == nil {
				c.log.Error().Err(err).Msg(
					"the backup socket stopped serving: cuota backup can't copy this data directory until cuota up " +
						"is restarted")
			}
			return
		}
		c.served.Go(func() {
			if err := c.serve(ctx, conn); err != nil {
				c.log.Error().Err(err).Msg("a request of cuota backup failed")
			}
		})
	}
}

// begin makes this connection the one with a copy. It waits while the copy of a
// disconnected client, such as a killed one, is deleted. It returns nil if another
// client is still reading a copy.
func (c *Copies) begin(ctx context.Context) *copyReader {
	for patience := time.After(goneWithin); ; {
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
		case <-patience:
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

func (c *Copies) end(r *copyReader) {
	c.mu.Lock()
	c.reading = nil
	c.mu.Unlock()
	close(r.done)
}

// serve makes a copy for a connection and deletes it when the connection ends.
func (c *Copies) serve(ctx context.Context, conn net.Conn) (err error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader := c.begin(ctx)
	if reader == nil {
		return json.NewEncoder(conn).Encode(
			copyReply{Error: "another cuota backup is copying this data directory; try again when it has finished"})
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
			return nil // the client has disconnected
		}
		return json.NewEncoder(conn).Encode(copyReply{Error: err.Error()})
	}
	defer func() { err = errors.Join(err, made.Remove()) }()
	if err := json.NewEncoder(conn).Encode(copyReply{Dir: made.Dir, Tables: made.Tables}); err != nil {
		return nil // the client has disconnected
	}
	<-reader.left
	return nil
}

// Close ends every copy that is being made or read.
func (c *Copies) Close() error {
	c.cancel()
	err := c.listener.Close()
	c.served.Wait()
	return errors.Join(err, c.folder.Close())
}

// askForCopy asks the process that holds the directory for a copy of its tables. The
// copy exists until release is called, which returns when it is deleted.
func askForCopy(ctx context.Context,
	dir *datadir.Directory) (made *clickhouse.Backup, release func() error, err error) {
	folder, address, err := socketAddress(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; is another version of cuota running?", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, nil, fmt.Errorf(
			"ask the process that uses %s for a copy of its tables: %w; if it is starting or stopping, try again in "+
				"a moment", dir.Path, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	var reply copyReply
	err = json.NewDecoder(conn).Decode(&reply)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		err = fmt.Errorf("the process that uses %s ended while it copied its tables; try again: %w", dir.Path, err)
	case reply.Error != "":
		err = errors.New(reply.Error)
	}
	if err != nil {
		stop()
		return nil, nil, errors.Join(err, conn.Close())
	}
	return &clickhouse.Backup{Dir: reply.Dir, Tables: reply.Tables}, func() error {
		err := conn.(*net.UnixConn).CloseWrite()
		if err == nil {
			_, err = io.Copy(io.Discard, conn) // until the copy is deleted
		}
		if !stop() {
			return nil // the context ended and closed the connection
		}
		return errors.Join(err, conn.Close())
	}, nil
}

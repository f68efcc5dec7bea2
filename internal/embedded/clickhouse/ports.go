package clickhouse

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// ports are those of 127.0.0.1 on which the engine listens. They are held from the
// start to the end of the Server by sockets that are bound and do not listen: only
// processes of the same user can bind them as well, as the engine does. Without that,
// anybody on the machine could take the place of an engine that is away, and be told the
// owner's password.
type ports struct {
	native, http int
	sockets      []int
}

func holdPorts() (held ports, err error) {
	for _, port := range []*int{&held.native, &held.http} {
		if *port, err = held.hold(); err != nil {
			held.release()
			return ports{}, fmt.Errorf("take a port for the engine: %w", err)
		}
	}
	return held, nil
}

func (p *ports) hold() (port int, err error) {
	syscall.ForkLock.RLock() // a child would inherit it
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return 0, err
	}
	p.sockets = append(p.sockets, socket)
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	bound, err := unix.Getsockname(socket)
	if err != nil {
		return 0, err
	}
	return bound.(*unix.SockaddrInet4).Port, nil
}

func (p *ports) release() {
	for _, socket := range p.sockets {
		_ = unix.Close(socket)
	}
	*p = ports{}
}

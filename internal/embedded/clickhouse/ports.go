package clickhouse

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// ports are the ports of 127.0.0.1 on which the engine listens. The Server reserves them for
// its whole life with sockets that are bound but do not listen. Then only processes of the same
// user, such as the engine, can bind them too. Otherwise, while the engine is restarting,
// anybody on the machine could listen in its place and receive the owner's password.
type ports struct {
	native, http int
	sockets      []int
}

func holdPorts() (held ports, err error) {
	for _, port := range []*int{&held.native, &held.http} {
		if *port, err = held.hold(); err != nil {
			held.release()
			return ports{}, fmt.Errorf("reserve a port for the engine: %w", err)
		}
	}
	return held, nil
}

func (p *ports) hold() (port int, err error) {
	syscall.ForkLock.RLock() // prevents that a child inherits the socket before CloseOnExec
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

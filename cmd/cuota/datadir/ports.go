package datadir

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Ports are bound first, so that a port in use is reported at once and not after a
// market was ingested. A client that connects early waits until the component behind the
// port serves.

// Flags that name an address.
const (
	ClickHouseFlag = "clickhouse-listen"
	NativeFlag     = "clickhouse-native-listen"
	KafkaFlag      = "kafka-listen"
)

// EngineAddresses are the addresses of the engines. An empty address of ClickHouse means
// that it is not opened.
type EngineAddresses struct{ ClickHouse, Native, Kafka string }

// EnginePorts are the listeners of ClickHouse, over HTTP and native TCP, and of Kafka.
type EnginePorts struct{ ClickHouse, Native, Kafka net.Listener }

// BindEngines binds all addresses of the engines or none.
func BindEngines(ctx context.Context, at EngineAddresses) (p EnginePorts, err error) {
	for _, port := range []struct {
		flag, address string
		listener      *net.Listener
	}{{ClickHouseFlag, at.ClickHouse, &p.ClickHouse}, {NativeFlag, at.Native, &p.Native},
		{KafkaFlag, at.Kafka, &p.Kafka}} {
		if port.address == "" {
			continue
		}
		if *port.listener, err = listenOnLoopback(ctx, port.flag, port.address); err != nil {
			return EnginePorts{}, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// Close closes the ports that no engine has taken over.
func (p EnginePorts) Close() error {
	return errors.Join(Close(p.ClickHouse), Close(p.Native), Close(p.Kafka))
}

// Close closes a listener. It is no error if the listener is already closed.
func Close(listener net.Listener) error {
	if listener == nil {
		return nil
	}
	if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Listen binds the address of a flag. The error names the flag.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err == nil {
		return listener, nil
	}
	host, port, unsplit := net.SplitHostPort(address)
	switch {
	case unsplit != nil:
		return nil, fmt.Errorf("--%s %q is not host:port, as in 127.0.0.1:8080", flag, address)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %s is in use (--%s %s): choose another with --%s; --%s %s picks a free one",
			port, flag, address, flag, flag, net.JoinHostPort(host, "0"))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen on port %s (--%s %s): choose a port above 1023 with --%s",
			port, flag, address, flag)
	}
	if operation, is := errors.AsType[*net.OpError](err); is {
		err = operation.Err // without the address, which the message contains already
	}
	return nil, fmt.Errorf("--%s %s: %w", flag, address, err)
}

// listenOnLoopback binds the address of an engine. It allows only loopback addresses,
// because the protocols are not encrypted, and people need no password for ClickHouse.
func listenOnLoopback(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := Listen(ctx, flag, address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf(
			"--%s %s: the embedded engines are for this machine only, so only a loopback address is allowed, as in "+
				"127.0.0.1:0", flag, address),
			listener.Close())
	}
	return listener, nil
}

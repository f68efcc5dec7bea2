package load

import (
	"context"
	"fmt"
	"io"
	"net"
)

// ConnectSilent connects so many clients that send one request and then nothing, until
// they are closed. It fails if one of them is not answered.
func ConnectSilent(ctx context.Context, address string, clients int) (connections []net.Conn, err error) {
	var dialer net.Dialer
	answer := make([]byte, 8<<10)
	for n := range clients {
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			return connections, fmt.Errorf("connect silent client %d: %w", n+1, err)
		}
		connections = append(connections, connection)
		if _, err := io.WriteString(connection, "GET /health HTTP/1.1\r\nHost: bench\r\n\r\n"); err != nil {
			return connections, fmt.Errorf("ask as silent client %d: %w", n+1, err)
		}
		if _, err := connection.Read(answer); err != nil {
			return connections, fmt.Errorf("the answer to silent client %d: %w", n+1, err)
		}
	}
	return connections, nil
}

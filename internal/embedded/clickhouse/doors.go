package clickhouse

import (
	"net"
	"strconv"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse/door"
)

// doors are the proxies through which people connect. A door is nil if the configuration has no
// listener for it.
type doors struct {
	http   *door.HTTP
	native *door.Native
	config Config
}

// openDoors serves the listeners of the configuration until close is called. commands is the
// account that may read the product's database.
func openDoors(config Config, at ports, commands door.Account, log zerolog.Logger) *doors {
	d := &doors{config: config}
	serve := func(name string, listener net.Listener, serve func(net.Listener) error) {
		go func() {
			if err := serve(listener); err != nil {
				log.Error().Err(err).Str("door",
					name).Msg("a ClickHouse port for people stopped serving: restart cuota up")
			}
		}()
	}
	if config.HTTP != nil {
		d.http = door.NewHTTP(loopback(at.http), commands, log)
		serve("http", config.HTTP, d.http.Serve)
	}
	if config.Native != nil {
		d.native = door.NewNative(loopback(at.native), []string{config.PeoplesDatabase}, commands, log)
		serve("native", config.Native, d.native.Serve)
	}
	return d
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func (d *doors) close() {
	if d.http != nil {
		d.http.Close()
	}
	if d.native != nil {
		d.native.Close()
	}
}

// addresses returns the addresses of the doors, or "" for a door that does not exist.
func (d *doors) addresses() (http, native string) {
	if d == nil {
		return "", ""
	}
	if d.http != nil {
		http = d.config.HTTP.Addr().String()
	}
	if d.native != nil {
		native = d.config.Native.Addr().String()
	}
	return http, native
}

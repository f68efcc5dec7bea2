// Package admin shows operators and their tools how a process is: metrics and probes at the admin address,
// the parts that work, and notifications to systemd.
package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/internal/health"
	"cuota/internal/metrics"
	"cuota/internal/notary"
)

// The admin address is for operators and their tools. It needs no password and shows
// host names, so nobody else may reach it.
const (
	Flag         = "admin"
	defaultAdmin = "127.0.0.1:9091"
	noAdmin      = "none"
	Usage        = "address of metrics and probes for operators, or none (default " + defaultAdmin +
		" if that port is free); it asks for no password"
)

// Server keeps the metrics and the health of the process's parts, and serves both at the
// admin address.
type Server struct {
	Metrics *metrics.Metrics
	log     zerolog.Logger

	// Hosts are more names by which operators reach the address. They are set before Start.
	Hosts    []string
	listener net.Listener // nil: not served
	server   *http.Server
	served   chan error

	mu      sync.Mutex
	parts   []adminPart
	started bool // every part is registered
}

type adminPart struct {
	health.Part
	answers bool // the API cannot answer without it
}

// Open binds the given address. If none is given, it binds the default address,
// unless another process of this machine has it. program is the version that the metrics state.
func Open(ctx context.Context, address, program string, log zerolog.Logger) (*Server, error) {
	a := &Server{Metrics: metrics.New(), log: log}
	a.Metrics.Sampled("cuota_part_alive", func() []metrics.Sample { return partSamples(a.all(), health.Alive) })
	a.Metrics.Sampled("cuota_part_ready", func() []metrics.Sample { return partSamples(a.all(), health.Ready) })
	a.Metrics.Sampled("cuota_part_degraded", func() []metrics.Sample {
		degraded := partSamples(a.all(), health.Degraded)
		for i := range degraded {
			degraded[i].Value = 1 - degraded[i].Value
		}
		return degraded
	})
	a.Metrics.Sampled("cuota_program_info", func() []metrics.Sample {
		return []metrics.Sample{{Value: 1, Labels: []string{program}}}
	})
	var err error
	switch address {
	case noAdmin:
	case "":
		a.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", defaultAdmin)
		if errors.Is(err, syscall.EADDRINUSE) {
			log.Warn().Str("address", defaultAdmin).Msg(
				"the default admin address is in use: metrics are not served; choose another address with --admin")
			err = nil
		}
	default:
		a.listener, err = datadir.Listen(ctx, Flag, address)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func partSamples(parts []health.Part, ask func([]health.Part) []health.Fault) []metrics.Sample {
	faulty := map[string]bool{}
	for _, fault := range ask(parts) {
		faulty[fault.Part] = true
	}
	list := make([]metrics.Sample, len(parts))
	for i, part := range parts {
		list[i] = metrics.Sample{Value: metrics.Truth(!faulty[part.Name]), Labels: []string{part.Name}}
	}
	return list
}

// Add registers a part. answers says that the API cannot answer without it.
func (a *Server) Add(part health.Part, answers bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.parts = append(a.parts, adminPart{part, answers})
}

// all returns every part with all that may be wrong with it.
func (a *Server) all() []health.Part {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]health.Part, len(a.parts))
	for i, part := range a.parts {
		list[i] = part.Part
	}
	return list
}

// startPart stands for the parts that are not registered yet.
const startPart = "start"

// AllStarted says that every part is registered.
func (a *Server) AllStarted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started = true
}

// probed returns every part, and until AllStarted one more that is not ready, so that a
// process that is starting does not look as if it worked.
func (a *Server) probed() []health.Part {
	list := a.all()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.started {
		list = append(list, health.Part{Name: startPart, Ready: func() error {
			return errors.New("the process is starting")
		}})
	}
	return list
}

// AddProjection registers the parts of a projection and the counters of its consumer.
func (a *Server) AddProjection(p *flow.Projection) {
	a.Add(health.Part{Name: consumerPart, Alive: p.Group.Alive, Ready: p.Group.Ready}, false)
	a.Add(health.Part{Name: projectorPart, Alive: p.Projector.Alive, Ready: p.Projector.Ready}, false)
	a.measureConsumer(p.Group)
}

// AddNotary registers the notary and how far it is. It is no reason to stop answering if it can't append.
func (a *Server) AddNotary(n *notary.Notary) {
	a.Add(health.Part{Name: notaryPart, Alive: n.Alive, Degraded: n.Fault}, false)
	a.Metrics.Sampled("cuota_notary_leaves", func() []metrics.Sample { return metrics.Value(n.Leaves()) })
	a.Metrics.Sampled("cuota_notary_fault", func() []metrics.Sample {
		return metrics.Value(metrics.Truth(n.Fault() != nil))
	})
}

// Beside returns the parts other than the API, as the API's own health check reports
// them. A part that hangs is reported, because the process must be restarted. A part
// that only fails is reported only if the API needs it.
func (a *Server) Beside() []health.Part {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []health.Part
	for _, part := range a.parts {
		if !part.answers {
			part.Ready = nil
		}
		if part.Name != apiPart {
			list = append(list, part.Part)
		}
	}
	return list
}

// Names of the parts.
const apiPart, EnginePart, AccountsPart, consumerPart, projectorPart, notaryPart = "api", "engine", "accounts",
	"consumer", "projector", "notary"

// Bounds of the admin server.
const (
	adminHeaderTimeout = 5 * time.Second
	adminTimeout       = 30 * time.Second
	adminHeaderBytes   = 16 << 10
)

// Start serves the admin address.
func (a *Server) Start() {
	if a.listener == nil {
		return
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", a.Metrics.Handler())
	routes.Handle("GET /livez", health.Handler(a.all, health.Alive))
	routes.Handle("GET /readyz", health.Handler(a.probed, health.Ready))
	a.server = &http.Server{
		Handler: forOperators(a.listener.Addr(), a.Hosts, routes), ReadHeaderTimeout: adminHeaderTimeout,
		ReadTimeout: adminTimeout, WriteTimeout: adminTimeout,
		IdleTimeout: adminTimeout, MaxHeaderBytes: adminHeaderBytes,
	}
	a.served = make(chan error, 1)
	go func() { a.served <- a.server.Serve(a.listener) }()
	a.log.Info().Str("address", a.Addr()).Msg("metrics and probes are served")
}

// forOperators refuses requests for other host names than those by which operators reach the admin
// address. A web page could make a browser on this machine send requests here, under the page's own
// name (DNS rebinding), and read the answers.
func forOperators(at net.Addr, hosts []string, next http.Handler) http.Handler {
	tcp, is := at.(*net.TCPAddr)
	alone := is && tcp.IP.IsLoopback() // nobody but this machine reaches the address
	machine, err := os.Hostname()
	if err != nil {
		machine = ""
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := (&url.URL{Host: r.Host}).Hostname()
		// No browser leaves out the host.
		if r.Host != "" && !operatorsName(name, alone, machine) && !slices.Contains(hosts, strings.ToLower(name)) {
			http.Error(w, "This host name is not one of the admin address: use its IP address or the name of the "+
				"machine, or add the name to CUOTA_ADMIN_HOSTS.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// operatorsName reports whether a host name may stand for an admin address. alone says that the address
// is one of loopback. Names without a dot are those of a local network, as of compose; no page of the
// internet has one.
func operatorsName(host string, alone bool, machine string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip := net.ParseIP(host)
	if host == "localhost" || ip != nil && (ip.IsLoopback() || !alone) {
		return true
	}
	return !alone && ip == nil && host != "" && (!strings.Contains(host, ".") || host == strings.ToLower(machine))
}

// Addr is the address that is served; "" if none is.
func (a *Server) Addr() string {
	if a.listener == nil {
		return ""
	}
	return a.listener.Addr().String()
}

// Stop stops the admin server. It is stopped last, so that it can report on the other
// parts until then.
func (a *Server) Stop(ctx context.Context) error {
	if a.server == nil {
		return datadir.Close(a.listener)
	}
	err := exit.ShutDown(ctx, exit.StopPatience, a.server.Shutdown)
	if err != nil {
		err = errors.Join(err, a.server.Close())
	}
	if served := <-a.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve the admin address: %w", served))
	}
	return err
}

package httpapi

import (
	"sync"
	"sync/atomic"
)

// Meter measures requests. The functions that Request and Lookup return are called by
// several goroutines at once. The server asks for each function once and keeps it, so that
// a request only calls it.
type Meter interface {
	// Request returns the function that takes the duration in seconds of each request with
	// this route, class of status (such as 2xx), and source of the reply: snapshot, cache,
	// clickhouse or none.
	Request(route, class, source string) func(seconds float64)
	// Refused counts a request that reached no route, because it is not well-formed HTTP or
	// too many clients are connected.
	Refused(class string)
	// Lookup returns the function that counts a cache lookup with the outcome hit, miss or
	// shared.
	Lookup(outcome string) func()
}

// unmatched is the route of requests that no operation matches.
const unmatched = "unmatched"

// classes are the classes of status codes, by the first digit of the code.
var classes = [...]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}

func classOf(status int) int {
	if class := status / 100; class > 0 && class < len(classes) {
		return class
	}
	return 0
}

// sources are the sources of replies. A routeMeter uses their index.
var sources = [...]source{"", fromMemory, fromCache, fromOrigin}

// routeMeter measures the requests of one route. The first request with a combination of
// class and source asks the Meter for its function.
type routeMeter struct {
	meter Meter
	route string
	take  [len(classes)][len(sources)]atomic.Pointer[func(float64)]
}

// observe measures a request that has been answered.
func (m *routeMeter) observe(status int, from source, seconds float64) {
	class, place := classOf(status), 0
	for i, known := range sources {
		if known == from {
			place = i
		}
	}
	slot := &m.take[class][place]
	take := slot.Load()
	if take == nil {
		name := string(from)
		if name == "" {
			name = "none"
		}
		made := m.meter.Request(m.route, classes[class], name)
		take = &made
		slot.Store(take)
	}
	(*take)(seconds)
}

// routeMeters keeps one meter for each route. Routes are the patterns of the operations and
// of the account area, so their number is limited.
type routeMeters struct {
	meter Meter
	known sync.Map // route to *routeMeter
}

func (m *routeMeters) of(route string) *routeMeter {
	if route == "" {
		route = unmatched
	}
	if known, there := m.known.Load(route); there {
		return known.(*routeMeter)
	}
	made, _ := m.known.LoadOrStore(route, &routeMeter{meter: m.meter, route: route})
	return made.(*routeMeter)
}

// unmeasured is the meter of a server that was given none.
type unmeasured struct{}

func (unmeasured) Request(string, string, string) func(float64) { return func(float64) {} }
func (unmeasured) Refused(string)                               {}
func (unmeasured) Lookup(string) func()                         { return func() {} }

// lookups count cache lookups by their outcome.
type lookups struct{ hit, miss, shared func() }

func newLookups(meter Meter) lookups {
	return lookups{meter.Lookup("hit"), meter.Lookup("miss"), meter.Lookup("shared")}
}

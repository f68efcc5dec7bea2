package query

import (
	"sync"
	"sync/atomic"
)

// Meter measures requests. What Request and Lookup give is called by many goroutines at
// once; each is asked for once for each combination, so that a request only calls it.
type Meter interface {
	// Request gives what takes the seconds of each request of a route whose status is of
	// a class, as in 2xx, and whose reply came from snapshot, cache, clickhouse or none.
	Request(route, class, source string) func(seconds float64)
	// Refused counts a request that has no route because it is not well-formed HTTP.
	Refused(class string)
	// Lookup gives what counts looks into the cache: hit, miss or shared.
	Lookup(outcome string) func()
}

// unmatched is the route of requests that no operation matches.
const unmatched = "unmatched"

// classes are the classes of status, by the first digit of a status.
var classes = [...]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}

func classOf(status int) int {
	if class := status / 100; class > 0 && class < len(classes) {
		return class
	}
	return 0
}

// sources are where a reply may come from, by their place.
var sources = [...]source{"", fromSnapshot, fromCache, fromClickHouse}

// routeMeter measures the requests of one route. What measures a combination is looked
// up by the first request that needs it.
type routeMeter struct {
	meter Meter
	route string
	take  [len(classes)][len(sources)]atomic.Pointer[func(float64)]
}

// observe notes a request that has been answered.
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

// routeMeters keeps the meters of routes. There are as many as the table of operations
// and the account area have patterns.
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

// unmeasured is the meter of a server that is given none.
type unmeasured struct{}

func (unmeasured) Request(string, string, string) func(float64) { return func(float64) {} }
func (unmeasured) Refused(string)                               {}
func (unmeasured) Lookup(string) func()                         { return func() {} }

// lookups count looks into the cache.
type lookups struct{ hit, miss, shared func() }

func newLookups(meter Meter) lookups {
	return lookups{meter.Lookup("hit"), meter.Lookup("miss"), meter.Lookup("shared")}
}

// CacheBytes is what the kept replies take.
func (s *Server) CacheBytes() uint64 { return s.replies.cache.WeightedSize() }

package httpapi

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Burst limits the requests of one client address, whatever the key.
type Burst struct {
	PerSecond float64 // sustained requests per second; 0 means 10 (the interface contract, section 1)
	Size      int     // requests that may come at once; 0 means 20
	Addresses int     // how many addresses are remembered; 0 means 10,000
}

// burstLimit keeps one token bucket for each address, in the order of last use. When there
// are too many, it forgets the address that was unused for longest. That address then gets
// a full bucket, so it can only gain.
type burstLimit struct {
	config  Burst
	proxies []netip.Prefix
	now     func() time.Time

	mu      sync.Mutex
	buckets map[netip.Prefix]*list.Element
	recent  *list.List // of *bucket
}

type bucket struct {
	address netip.Prefix
	limiter *rate.Limiter
}

func newBurstLimit(config Config) *burstLimit {
	return &burstLimit{
		config: config.Burst, proxies: config.TrustedProxies, now: config.Now,
		buckets: map[netip.Prefix]*list.Element{}, recent: list.New(),
	}
}

// guard refuses requests that come too fast, before any work is done for them.
func (b *burstLimit) guard(s *Server, next http.Handler) http.Handler {
	refused := s.always(&Problem{Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: 1,
		Detail: "Too many requests a second from this address. Wait a second and send them more slowly."})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := clientAddress(r, b.proxies)
		if b.allow(address) {
			next.ServeHTTP(w, r)
			return
		}
		refused.ServeHTTP(w, r)
	})
}

func (b *burstLimit) allow(address netip.Addr) bool {
	network := networkOf(address)
	b.mu.Lock()
	defer b.mu.Unlock()
	element, known := b.buckets[network]
	if !known {
		element = b.recent.PushFront(&bucket{network, rate.NewLimiter(rate.Limit(b.config.PerSecond), b.config.Size)})
		b.buckets[network] = element
		if b.recent.Len() > b.config.Addresses {
			oldest := b.recent.Remove(b.recent.Back()).(*bucket)
			delete(b.buckets, oldest.address)
		}
	}
	b.recent.MoveToFront(element)
	return element.Value.(*bucket).limiter.AllowN(b.now(), 1)
}

// networkOf returns the network that counts as one caller: an IPv4 address, or the /64 of an
// IPv6 address, because one customer has at least a whole /64.
func networkOf(address netip.Addr) netip.Prefix {
	bits := 32
	if address.Is6() {
		bits = 64
	}
	network, err := address.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{} // not an address: all such callers share one bucket
	}
	return network
}

// clientAddress returns the address of the client: that of the connection, or, if that
// belongs to a trusted proxy, the last address in X-Forwarded-For that is not a trusted
// proxy. It stops before an entry that is not an address.
func clientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address := parseAddress(host)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !trusted(address, proxies) {
			break
		}
		earlier := parseAddress(strings.TrimSpace(hop))
		if !earlier.IsValid() {
			break
		}
		address = earlier
	}
	return address
}

func parseAddress(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap()
}

func trusted(address netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

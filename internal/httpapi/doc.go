// Package httpapi is the HTTP kernel of the public API. It knows neither funds nor SQL: an
// operation gives it parameters, a version of the data as text, and functions that make the
// reply.
//
// A request passes these steps in order: request id, access log and recovery from panics
// (accesslog.go), its span (trace.go), cross-origin headers (cors.go), the limit per client address
// (ratelimit.go), and the router (operation.go). Then follow the API key and its quota
// (authentication.go), the parameters (parameter.go), the operation, which names the version
// of the data, and the validators of HTTP caches (conditional.go). The reply comes from the
// operation's memory, from the response cache (cache.go), or is made now and shared by all
// who ask for it (shared.go). It is compressed (compression.go), and sent while it is made if
// it is long (stream.go).
package httpapi

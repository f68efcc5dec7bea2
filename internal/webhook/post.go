package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// Failure says what went wrong in an attempt.
type Failure string

// The failures.
const (
	FailedStatus   Failure = "status"   // the response is not 2xx
	FailedRedirect Failure = "redirect" // the response is 3xx: redirects are not followed
	FailedTimeout  Failure = "timeout"
	FailedName     Failure = "name"     // the name of the host was not found
	FailedInternal Failure = "internal" // the host is in a private network, or is this machine
	FailedConnect  Failure = "connect"
	FailedTLS      Failure = "tls"
	FailedReply    Failure = "reply"  // the response is not well-formed, or the connection was cut
	FailedSealed   Failure = "sealed" // the address or a secret in the account store can't be decrypted
)

// Limits of a request.
const (
	postWithin = 15 * time.Second
	maxHeader  = 16 << 10 // bytes of the response's header
	maxRead    = 1 << 10  // bytes of the response's body
	maxReply   = 200      // characters of it that are kept
)

// result is what came of an attempt.
type result struct {
	status     int // 0 if there was no response
	failure    Failure
	reply      string
	retryAfter time.Duration // that the receiver asks for; 0 if it asks for none
}

// poster posts messages.
type poster struct{ client *http.Client }

// errInternal says that a host has an address to which nothing may go.
var errInternal = errors.New("the address is not one of the public internet")

// newPoster makes a poster that connects only to addresses that the policy allows. It uses no proxy, because a proxy
// would connect for it.
func newPoster(h *Hooks) poster {
	dialer := &net.Dialer{Resolver: h.config.Resolver,
		// Control checks the resolved address right before the connection. So a name that resolves differently the
		// second time can't bypass the check.
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !h.policy.allows(to.Addr()) {
				return errInternal
			}
			return nil
		}}
	return poster{&http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: h.config.Roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// post sends an attempt, and returns what came of it.
func (p poster) post(ctx context.Context, a attempt, at time.Time) result {
	signed, err := signatures(a.secrets, a.event, at, a.body)
	if err != nil {
		return result{failure: FailedConnect} // can't happen: secrets are made by newSecret
	}
	ctx, cancel := context.WithTimeout(ctx, postWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address, bytes.NewReader(a.body))
	if err != nil {
		return result{failure: FailedConnect} // can't happen: addresses are checked before they are stored
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"cuota-webhooks/1"},
		// the names are in lower case, as Standard Webhooks writes them
		"webhook-id": {a.event}, "webhook-timestamp": {strconv.FormatInt(at.Unix(), 10)}, "webhook-signature": {signed}}
	response, err := p.client.Do(request)
	if err != nil {
		return result{failure: failureOf(err)}
	}
	// Of a response 101 the connection is no longer the transport's, and reading it would not end with ctx.
	defer context.AfterFunc(ctx, func() { _ = response.Body.Close() })()
	if response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close()
		return result{status: response.StatusCode, failure: FailedStatus}
	}
	// Only the status decides. If the body breaks off, its beginning is kept.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxRead))
	_ = response.Body.Close()
	r := result{status: response.StatusCode, reply: oneLine(body)}
	switch {
	case r.status >= 200 && r.status < 300:
	case r.status >= 300 && r.status < 400:
		r.failure = FailedRedirect
	default:
		r.failure = FailedStatus
	}
	if r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable {
		seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31)
		if err == nil {
			r.retryAfter = min(time.Duration(seconds)*time.Second, longestPause)
		}
	}
	return r
}

// failureOf names the reason why there was no response.
func failureOf(err error) Failure {
	var name *net.DNSError
	var timeout net.Error
	var dial *net.OpError
	var alert tls.AlertError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, errInternal):
		return FailedInternal
	case errors.As(err, &name):
		return FailedName
	case errors.As(err, &timeout) && timeout.Timeout():
		return FailedTimeout
	case errors.As(err, &certificate), errors.As(err, &alert), errors.As(err, &record):
		return FailedTLS
	case errors.As(err, &dial) && dial.Op == "dial":
		return FailedConnect
	}
	return FailedReply
}

// oneLine returns the beginning of a text for the log, without characters that are not printable.
func oneLine(text []byte) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(text), "?"))
	runes := []rune(strings.Join(strings.Fields(clean), " "))
	return string(runes[:min(len(runes), maxReply)])
}

package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/julienschmidt/httprouter"

	"cuota/internal/account"
)

// LinkPath is the path of links to addresses, before their tokens.
const LinkPath = "/link/"

// AddressLinks finds what a link to an address leads to. *account.Store implements it.
type AddressLinks interface {
	// FollowLink returns the active key of a link, and the path and query string that it answers. It fails with
	// account.ErrNoAddressLink if the link does not answer. Any other error means that it could not be checked.
	FollowLink(ctx context.Context, token string) (k account.Key, address string, err error)
}

// linkedKey is the key in a context under which follow keeps the API key of a link.
type linkedKey struct{}

// follow answers a link as its address answers a caller with its key. It is for programs that can't send a header: the
// key itself is in no URL. Parameters and keys of the request, and the formats that it accepts, count for nothing,
// because a link is for one address.
func (s *Server) follow(to http.Handler) httprouter.Handle {
	const route = LinkPath + "{token}"
	meter := s.meters.of(route)
	return func(w http.ResponseWriter, r *http.Request, segments httprouter.Params) {
		record := recordOf(r.Context())
		record.route, record.meter = route, meter
		key, address, err := s.config.Links.FollowLink(r.Context(), segments.ByName("token"))
		if errors.Is(err, account.ErrNoAddressLink) {
			s.fail(w, r, NotFound("This link is unknown, has expired or was revoked. Ask whoever made it for another one."))
			return
		}
		if err != nil {
			s.fail(w, r, keyUnchecked(err))
			return
		}
		linked := r.Clone(context.WithValue(r.Context(), linkedKey{}, key))
		if linked.URL, err = url.ParseRequestURI(address); err != nil {
			s.fail(w, r, fmt.Errorf("the address of a link: %w", err))
			return
		}
		linked.RequestURI = address
		for _, name := range []string{"X-Api-Key", "Authorization", "Cookie", "Accept"} {
			linked.Header.Del(name)
		}
		to.ServeHTTP(w, linked)
	}
}

// Package baseline has what figures compare the product with: a bare handler, a bare
// insert and bare statements. It also has the stand-ins for the rest of the flow when a figure
// measures one stage alone. It does not measure, and does not know which figure uses it.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"
)

// BareHandler is how a line of the table names the server of ServeBare.
const BareHandler = "a bare httprouter handler that writes the same bytes"

// ServeBare starts a server that looks up each recorded answer by its path and query, and
// returns its host and port. pattern is the route of all of them. onClose is given what
// stops the server.
func ServeBare(ctx context.Context, onClose func(stop func(context.Context) error), pattern string,
	answers Answers) (address string, err error) {
	router := httprouter.New()
	router.GET(pattern, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		answer := answers[r.RequestURI]
		header := w.Header()
		for name, values := range answer.header {
			header[name] = values
		}
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write(answer.body) // a client that disconnects does not matter
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen for the bare handler: %w", err)
	}
	server := &http.Server{Handler: router, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	onClose(func(ctx context.Context) error {
		err := server.Shutdown(ctx)
		if how := <-ended; !errors.Is(how, http.ErrServerClosed) {
			err = errors.Join(err, how)
		}
		return err
	})
	return listener.Addr().String(), nil
}

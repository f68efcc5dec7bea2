package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"testing"

	"cuota/internal/httpapi"
)

func TestAListFromMemoryIsSentCompleteWithItsLength(t *testing.T) {
	t.Parallel()
	list := operation("/list", httpapi.Answer{Version: "1", Memory: func() (httpapi.Reply, bool, error) {
		reply, err := httpapi.ReplyOf(httpapi.ListOf([]int{1, 2}, "two"))
		return reply, true, err
	}})
	broken := operation("/broken", httpapi.Answer{Version: "1", Memory: func() (httpapi.Reply, bool, error) {
		return httpapi.Reply{Write: func(w io.Writer) error {
			_, _ = io.WriteString(w, `{"data":[`)
			return errors.New("it ends here")
		}}, true, nil
	}})
	server, _ := newServer(t, unlimited, list, broken)
	const want = `{"data":[1,2],"meta":"two"}` + "\n"
	got := serve(server.Handler(), http.MethodGet, "/list")
	if got.Code != http.StatusOK || got.Body.String() != want ||
		got.Header().Get("Content-Length") != strconv.Itoa(len(want)) {
		t.Errorf("status %d, %v: %s", got.Code, got.Header(), got.Body)
	}
	if got := serve(server.Handler(), http.MethodGet, "/broken"); got.Code != http.StatusInternalServerError {
		t.Errorf("a list that can't be made: status %d: %s", got.Code, got.Body)
	}
}

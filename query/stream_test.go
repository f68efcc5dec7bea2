package query_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/query"
)

// The series of the demo market with most days: its history is a long reply.
const longHistory = "/api/real_assets/1161378270/days"

func TestALongReplyIsTheSameInEveryEncodingAndKept(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	for _, accepted := range []string{"identity", "gzip", "br", "zstd"} {
		r := newRig(t, options, unlimited)
		server := httptest.NewServer(r.Handler())
		defer server.Close()
		ask := func() (*http.Response, []byte) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+longHistory, nil)
			must(t, err)
			request.Header.Set("X-Api-Key", r.key)
			request.Header.Set("Accept-Encoding", accepted)
			response, err := server.Client().Do(request)
			must(t, err)
			body, err := io.ReadAll(response.Body)
			must(t, errors.Join(err, response.Body.Close()))
			return response, decompressed(t, response.Header.Get("Content-Encoding"), body)
		}
		first, made := ask()
		if first.StatusCode != http.StatusOK || len(made) < 64<<10 {
			t.Errorf("%s: status %d, length %d", accepted, first.StatusCode, len(made))
		}
		second, kept := ask()
		if second.ContentLength <= 0 || string(kept) != string(made) ||
			second.Header.Get("ETag") != first.Header.Get("ETag") {
			t.Errorf("%s: the second reply has length %d and validator %s, the first %s; the same bytes: %t",
				accepted, second.ContentLength, second.Header.Get("ETag"), first.Header.Get("ETag"),
				string(kept) == string(made))
		}
		got := answer{second.StatusCode, second.Header, kept}
		if got.source() != "cache" || len(decode[items](t, got).Data) < 2000 {
			t.Errorf("%s: made of %s", accepted, got.source())
		}
	}
}

func TestALongReplyIsSentBeforeItIsComplete(t *testing.T) {
	t.Parallel()
	finished := make(chan struct{})
	finish := sync.OnceFunc(func() { close(finished) })
	shop := newWorkshop(t, published(t), unlimited, func(_ int64, w io.Writer) error {
		_, _ = w.Write(halfReply)
		<-finished
		_, err := w.Write(completeReply[len(halfReply):])
		return err
	})
	server := httptest.NewServer(shop.handler)
	defer server.Close()
	defer finish()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/making", nil)
	must(t, err)
	request.Header.Set("Accept-Encoding", "identity") // a compressor would hold back so few bytes
	response, err := server.Client().Do(request)
	must(t, err)
	early := make([]byte, 64<<10) // the last few kilobytes may stay in a buffer
	_, err = io.ReadFull(response.Body, early)
	must(t, err)
	finish()
	rest, err := io.ReadAll(response.Body)
	must(t, errors.Join(err, response.Body.Close()))
	if response.ContentLength != -1 || !bytes.Equal(append(early, rest...), completeReply) {
		t.Errorf("length %d; %d bytes and %d", response.ContentLength, len(early), len(rest))
	}
}

func TestAReplyThatIsBeingMadeIsSharedByAllWhoAskForIt(t *testing.T) {
	const others = 5
	options := published(t)
	t.Run("also when who asked first leaves", func(t *testing.T) {
		finish := make(chan struct{})
		shop := newWorkshop(t, options, unlimited, func(_ int64, w io.Writer) error {
			_, _ = w.Write(halfReply)
			<-finish
			_, err := w.Write(completeReply[len(halfReply):])
			return err
		})
		var wait sync.WaitGroup
		ctx, leave := context.WithCancel(t.Context())
		wait.Go(func() {
			if !shop.ask(ctx, httptest.NewRecorder()) {
				t.Error("who left has the whole reply")
			}
		})
		waittest.Until(t, "the first waits for the rest", func() bool { return waiting() == 1 })
		shop.asking(t, &wait, others, wantComplete(t))
		waittest.Until(t, "all wait for the rest", func() bool { return waiting() == 1+others })
		leave()
		waittest.Until(t, "the first left", func() bool { return waiting() == others })
		close(finish)
		wait.Wait()
		shop.asking(t, &wait, 1, wantComplete(t))
		wait.Wait()
		if made := shop.made.Load(); made != 1 {
			t.Errorf("it was made %d times", made)
		}
	})
	t.Run("and none of them waits for one who is slow", func(t *testing.T) {
		slow := newBlocked()
		shop := newWorkshop(t, options, unlimited, func(_ int64, w io.Writer) error {
			_, _ = w.Write(halfReply)
			<-slow.entered
			_, err := w.Write(completeReply[len(halfReply):])
			return err
		})
		var wait sync.WaitGroup
		wait.Go(func() { wantComplete(t)(shop.ask(t.Context(), slow), slow.ResponseRecorder) })
		<-slow.entered
		var all sync.WaitGroup
		shop.asking(t, &all, others, wantComplete(t))
		all.Wait()
		close(slow.release)
		wait.Wait()
	})
	t.Run("who make it again when reading failed", func(t *testing.T) {
		fail := make(chan struct{})
		shop := newWorkshop(t, options, unlimited, func(before int64, w io.Writer) error {
			if before == 0 {
				<-fail
				return query.ErrUnread
			}
			_, err := w.Write(completeReply)
			return err
		})
		var wait sync.WaitGroup
		first := httptest.NewRecorder()
		wait.Go(func() { shop.ask(t.Context(), first) })
		waittest.Until(t, "the first waits", func() bool { return waiting() == 1 })
		shop.asking(t, &wait, others, wantComplete(t))
		waittest.Until(t, "all wait", func() bool { return waiting() == 1+others })
		close(fail)
		wait.Wait()
		if first.Code != http.StatusServiceUnavailable || shop.made.Load() != 2 {
			t.Errorf("the first has status %d; it was made %d times", first.Code, shop.made.Load())
		}
	})
	t.Run("but who asks later makes it anew when it is too large to be kept", func(t *testing.T) {
		shop := newWorkshop(t, options,
			query.Config{HTTP: httpapi.Config{Burst: unlimited.HTTP.Burst, CacheBytes: 4 * len(completeReply)}},
			func(_ int64, w io.Writer) error {
				_, err := w.Write(completeReply)
				return err
			})
		for range 3 {
			got := httptest.NewRecorder()
			wantComplete(t)(shop.ask(t.Context(), got), got)
		}
		if made := shop.made.Load(); made != 3 {
			t.Errorf("it was made %d times", made)
		}
	})
}

// blocked is a caller that reads nothing until it is released. entered is closed when the
// first bytes are sent to it.
type blocked struct {
	*httptest.ResponseRecorder
	once             sync.Once
	entered, release chan struct{}
}

func newBlocked() *blocked {
	return &blocked{ResponseRecorder: httptest.NewRecorder(), entered: make(chan struct{}),
		release: make(chan struct{})}
}

func (b *blocked) Write(p []byte) (int, error) {
	b.once.Do(func() { close(b.entered) })
	<-b.release
	return b.ResponseRecorder.Write(p)
}

func TestAReplyThatFailsHalfwayIsCutOffAndNotKept(t *testing.T) {
	fail := make(chan struct{})
	shop := newWorkshop(t, published(t), unlimited, func(before int64, w io.Writer) error {
		if before > 0 {
			_, err := w.Write(completeReply)
			return err
		}
		_, _ = w.Write(halfReply)
		<-fail
		panic("of the encoder")
	})
	var wait sync.WaitGroup
	callers := [2]*blocked{}
	for i := range callers {
		got := newBlocked()
		close(got.release)
		callers[i] = got
		wait.Go(func() {
			if cut := shop.ask(context.Background(), got); !cut || got.Code != http.StatusOK {
				t.Errorf("cut off: %t, status %d", cut, got.Code)
			}
		})
	}
	for _, got := range callers {
		<-got.entered // it has a part of the first half
	}
	close(fail)
	wait.Wait()
	got := httptest.NewRecorder()
	wantComplete(t)(shop.ask(t.Context(), got), got)
}

func TestAReplyThatPanicsBeforeItLeavesIsAnError(t *testing.T) {
	t.Parallel()
	shop := newWorkshop(t, published(t), unlimited, func(int64, io.Writer) error { panic("of an operation") })
	got := httptest.NewRecorder()
	if cut := shop.ask(t.Context(), got); cut || got.Code != http.StatusInternalServerError {
		t.Errorf("cut off: %t, status %d", cut, got.Code)
	}
	if !strings.Contains(shop.logged.String(), "of an operation") {
		t.Error("the log says nothing of it")
	}
}

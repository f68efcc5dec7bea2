package scrape

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func shaOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestAPayloadIsArchivedAndPublishedOnce(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	first, second := uf("2026-08-18", "39000.1"), uf("2026-08-18", "39000.2")

	h.serve(first)
	if got := h.once(); got.Published != 1 || got.Rows != 1 || got.Trouble != "" {
		t.Fatalf("first: %+v, want one published", got)
	}
	if got := h.once(); got.Fetched != 0 {
		t.Errorf("in the same hour: %+v, want nothing asked", got)
	}
	h.clock.pass(time.Hour)
	if got := h.once(); got.Fetched != 1 || got.Unchanged != 1 || got.Published != 0 {
		t.Errorf("an hour later, same bytes: %+v, want them unchanged", got)
	}
	h.serve(second)
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 {
		t.Errorf("changed bytes: %+v, want them published", got)
	}
	if len(h.published) != 2 || h.published[0].SHA256 != shaOf(first) || h.published[1].SHA256 != shaOf(second) ||
		h.published[0].Revision >= h.published[1].Revision || h.published[0].FirstDate != h.published[1].FirstDate {
		t.Errorf("manifests %+v, want both, the second with a later revision of the same day", h.published)
	}
	if !h.archived(shaOf(first)) || !h.archived(shaOf(second)) || h.ingesters != 2 {
		t.Errorf("archived %t and %t, an ingester opened %d times; want both and twice", h.archived(shaOf(first)),
			h.archived(shaOf(second)), h.ingesters)
	}
}

func TestConditionalRequestsSpareThePayload(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	const modified = "Tue, 18 Aug 2026 20:00:00 GMT"
	etag := `"one"`
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == etag && r.Header.Get("If-Modified-Since") == modified {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", etag)
		w.Header().Set("Last-Modified", modified)
		fmt.Fprint(w, uf("2026-08-18", etag[1:2]+"1"))
	})
	etag = `"1"`
	h.once()
	h.clock.pass(time.Hour)
	if got := h.once(); got.Unchanged != 1 || got.Fetched != 0 {
		t.Errorf("second look: %+v, want a 304", got)
	}
	etag = `"2"`
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 {
		t.Errorf("third look: %+v, want the new payload", got)
	}
	requests := h.requests()
	if requests[0].header.Get("If-None-Match") != "" || requests[2].header.Get("If-None-Match") != `"1"` {
		t.Errorf("validators sent: %q, then %q", requests[0].header.Get("If-None-Match"),
			requests[2].header.Get("If-None-Match"))
	}
	for _, r := range requests {
		if got := r.header.Get("User-Agent"); got != "cuota-test (+mailto:tests@example.org)" {
			t.Errorf("User-Agent %q, want the configured one", got)
		}
	}
}

func TestNoSecretOfAnAddressIsLoggedOrKept(t *testing.T) {
	h := newHarness(t)
	for _, answer := range []func(http.ResponseWriter, *http.Request){
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://[bad/?token=hunter2")
			w.WriteHeader(http.StatusFound)
		},
		func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, uf("2026-08-18", "1")) },
	} {
		h.configure(strings.Replace(oneDocument, "SERVER/uf.csv",
			strings.Replace(h.server.URL, "://", "://me:s3cret@", 1)+"/uf.csv?token=hunter2", 1))
		h.serves(answer)
		got := h.once()
		h.clock.pass(time.Hour)
		for _, secret := range []string{"hunter2", "s3cret"} {
			if strings.Contains(h.log.String()+got.Trouble+stateOf(t, h), secret) {
				t.Fatalf("%s is told:\n%s\n%s", secret, h.log.String(), got.Trouble)
			}
		}
	}
	if len(h.published) != 1 || !strings.HasPrefix(h.requests()[0].header.Get("Authorization"), "Basic ") {
		t.Error("the address with a password did not work at all")
	}
}

func TestAChangedQuestionIsAskedAnew(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		fmt.Fprint(w, uf("2026-08-18", "1"))
	})
	h.once()
	h.configure(strings.Replace(oneDocument, "/uf.csv", "/other.csv", 1))
	h.once()
	requests := h.requests()
	if len(requests) != 2 || requests[1].header.Get("If-None-Match") != "" {
		t.Errorf("%d requests, want the new address asked at once and without the old validator", len(requests))
	}
}

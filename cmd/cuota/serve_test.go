package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/admin"
	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/internal/account"
)

func TestAClientThatTakesAllTheTimeLeavesTheOthersTheirs(t *testing.T) {
	ctx := t.Context()
	dir, err := datadir.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := connect.OpenAccounts(ctx, environment.Settings{}, dir.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accounts.Close() })
	plain, _, err := accounts.CreateKey(ctx, "someone@example.org", account.Institutional)
	if err != nil {
		t.Fatal(err)
	}
	// Requests are counted before ClickHouse is queried, which is not available here.
	conn, err := clickhouse.Open(&clickhouse.Options{Addr: []string{"127.0.0.1:1"}, Protocol: clickhouse.HTTP})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	listener, err := datadir.Listen(ctx, apiFlag, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	adminServer, err := admin.Open(t.Context(), "none", "", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	serving, err := newServing(environment.Settings{MailFrom: environment.NoSender},
		offer{at: listener, mails: filepath.Join(dir.Path, "mail"), admin: adminServer}, conn, accounts, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	serving.answering = time.Millisecond
	if err := serving.start(ctx); err != nil {
		t.Fatal(err)
	}
	api := serving.server.Addr()
	begun := time.Now()
	if status, _ := ask(t, "http://"+api+"/api/screener?limit=many", plain); status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong request gives %d", status)
	}
	key, err := accounts.Authenticate(ctx, plain)
	if err != nil {
		t.Fatal(err)
	}
	// The day may end in Santiago during the test, so the requests of two days are
	// added.
	used := func() (n int64) {
		t.Helper()
		today, err := accounts.Usage(ctx, key, begun)
		if err != nil {
			t.Fatal(err)
		}
		now, err := accounts.Usage(ctx, key, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if n = today.Used; !now.ResetAt.Equal(today.ResetAt) {
			n += now.Used
		}
		return n
	}
	if used() <= 1 {
		t.Fatalf("%d requests are counted: none is leased, so this test proves nothing", used())
	}
	slow, err := net.Dial("tcp", api)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slow.Close() })
	// Send one whole request and half of the next. The answer to the first shows that
	// the server is reading the second.
	if _, err := io.WriteString(slow,
		"GET /health HTTP/1.1\r\nHost: cuota\r\n\r\nGET /health HTTP/1.1\r\nHost:"); err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}

	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := serving.stop(over); err != nil &&
		(!strings.Contains(err.Error(), "some requests were cancelled at shutdown") ||
			strings.Contains(err.Error(), "\n")) {
		t.Errorf("more than the client was cut off: %v", err)
	}
	if used() != 1 {
		t.Errorf("%d requests are counted after one", used())
	}
}

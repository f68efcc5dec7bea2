package firststart

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"cuota/cmd/cuota/datadir"
	"cuota/internal/account"
)

func TestTheGreetingOfTheDemoNamesThePagesFirstAndNoKey(t *testing.T) {
	dir, err := datadir.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := account.OpenAt(t.Context(), dir.Accounts(), dir.Pepper())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = accounts.Close() }()
	market, err := FindMarket(dir, true, "")
	if err != nil {
		t.Fatal(err)
	}
	at := datadir.Addresses{HTTP: "127.0.0.1:8080", ClickHouse: "127.0.0.1:8123", Native: "127.0.0.1:9000",
		Kafka: "127.0.0.1:9092"}
	var out bytes.Buffer
	if err := Greet(t.Context(), &out, dir, at, "area", "", accounts, market); err != nil {
		t.Fatal(err)
	}
	greeting := out.String()
	before := -1
	for _, part := range []string{"  Pages       http://127.0.0.1:8080\n", "  API ", "  ClickHouse ", "  Kafka ",
		"make demo-market", "curl "} {
		if i := strings.Index(greeting, part); i <= before {
			t.Errorf("%q does not come next in\n%s", part, greeting)
		} else {
			before = i
		}
	}
	key, err := os.ReadFile(dir.FirstKey())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir.FirstKey())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has %v, %v", info.Mode(), err)
	}
	if strings.Contains(greeting, strings.TrimSpace(string(key))) {
		t.Error("an output that is no terminal shows the key")
	}
	out.Reset()
	market.name = "/some/market"
	if err := Greet(t.Context(), &out, dir, at, "area", "", accounts, market); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "demo-market") {
		t.Errorf("another market is greeted as the demo:\n%s", out.String())
	}
}

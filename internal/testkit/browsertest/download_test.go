package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

func TestADownloadIsTheFileOfTheLink(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", `attachment; filename="values.csv"`)
			fmt.Fprint(w, "a,b")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<a href="/file" download>file</a>`)
	}))
	t.Cleanup(site.Close)
	b := browsertest.New(t, func(string) bool { return true })
	for range 2 {
		if err := chromedp.Do(b.Ctx, chromedp.Navigate(site.URL)); err != nil {
			t.Fatal(err)
		}
		if got := string(b.Download("a")); got != "a,b" {
			t.Errorf("the file is %q", got)
		}
	}
}

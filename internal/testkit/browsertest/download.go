package browsertest

import (
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Download clicks on a link to a file, and returns what the browser saved.
func (b *Browser) Download(selector string) []byte {
	b.t.Helper()
	dir, yes := b.t.TempDir(), true
	ended := make(chan *browser.EventDownloadProgress, 64)
	b.must(chromedp.ListenBrowser(b.Ctx, func(event any) {
		if of, is := event.(*browser.EventDownloadProgress); is && of.State != browser.DownloadProgressStateInProgress {
			select {
			case ended <- of:
			default:
			}
		}
	}))
	_, err := chromedp.CallBrowser(b.Ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: dir, EventsEnabled: &yes})
	b.must(err)
	b.must(chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS(selector))))
	select {
	case of := <-ended:
		if of.State != browser.DownloadProgressStateCompleted {
			b.t.Fatalf("the download of %s is %s", selector, of.State)
		}
		file, err := os.ReadFile(filepath.Join(dir, of.GUID))
		b.must(err)
		return file
	case <-b.Ctx.Done():
		b.t.Fatalf("%s downloads nothing: %v", selector, b.Ctx.Err())
	}
	return nil
}

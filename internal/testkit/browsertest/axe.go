package browsertest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axePackage is the checker of accessibility, and axeChecksum its integrity, as the registry
// states it.
const (
	axePackage  = "axe-core@4.14.1"
	axeChecksum = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// npm returns the path of npm. If there is none, the test is skipped, or fails if CI=true.
func npm(t testing.TB) string {
	t.Helper()
	found, err := exec.LookPath("npm")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no npm")
		}
		t.Skip("there is no npm")
	}
	return found
}

// Axe returns the script of axe-core. It needs npm, which fetches it, and fails if its checksum is
// another. Without npm the test is skipped, or fails if CI=true.
func Axe(t testing.TB) string {
	t.Helper()
	npm := npm(t)
	dir := t.TempDir()
	fetch := exec.CommandContext(t.Context(), npm, "pack", "--silent", "--pack-destination", dir, axePackage)
	fetch.Dir = dir
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Fatalf("fetch %s: %v\n%s", axePackage, err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		t.Fatalf("fetch %s: %v %v", axePackage, found, err)
	}
	packed, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha512.Sum512(packed); base64.StdEncoding.EncodeToString(sum[:]) != axeChecksum {
		t.Fatalf("%s has another checksum than the pinned one", axePackage)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(unzipped); ; {
		file, err := files.Next()
		if err != nil {
			t.Fatalf("%s has no script: %v", axePackage, err)
		}
		if file.Name == "package/axe.min.js" {
			script, err := io.ReadAll(io.LimitReader(files, 4<<20))
			if err != nil {
				t.Fatal(err)
			}
			return string(script)
		}
	}
}

// Violations returns what axe-core finds on the page against WCAG 2.2, levels A and AA.
func (b *Browser) Violations(axe string) []string {
	b.t.Helper()
	evaluated, err := chromedp.Call(b.Ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: axe + ";true"})
	b.must(err)
	if evaluated.ExceptionDetails != nil {
		b.t.Fatalf("start axe-core: %s", evaluated.ExceptionDetails.Text)
	}
	yes := true
	result, err := chromedp.Call(b.Ctx, runtime.Evaluate,
		runtime.EvaluateParams{AwaitPromise: &yes, ReturnByValue: &yes, Expression: `
		axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}).then(result => JSON.stringify(
			result.violations.flatMap(v => v.nodes.slice(0, 3).map(n => v.id + ": " + n.html.slice(0, 200) + " (" + n.failureSummary.replace(/\s+/g, " ").slice(0, 300) + ")"))))`})
	b.must(err)
	if result.ExceptionDetails != nil {
		b.t.Fatalf("run axe-core: %s", result.ExceptionDetails.Text)
	}
	var text string
	b.must(json.Unmarshal(result.Result.Value, &text))
	var found []string
	b.must(json.Unmarshal([]byte(text), &found))
	return found
}

package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TextOfPDF returns the text of a PDF, with one space for each gap and each end of a line. It needs pdftotext. Without
// it the test is skipped, or fails if CI=true.
func TextOfPDF(t testing.TB, file []byte) string {
	t.Helper()
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no pdftotext: install Debian's package poppler-utils")
		}
		t.Skip("there is no pdftotext")
	}
	path := filepath.Join(t.TempDir(), "page.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), program, "-enc", "UTF-8", path, "-").Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

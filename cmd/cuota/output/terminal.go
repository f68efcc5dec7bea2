// Package output is what the subcommands write while they work and at their end: lines of progress,
// bars on a terminal, texts from elsewhere that are made harmless for a terminal, and JSON for programs.
package output

import (
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// OnTerminal reports whether the file is a terminal.
func OnTerminal(file *os.File) bool { return isatty.IsTerminal(file.Fd()) }

// NewBar makes a progress bar on standard error, which only a terminal shows.
func NewBar(most int64, what string, shown progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(most, shown,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(OnTerminal(os.Stderr)),
		progressbar.OptionSetDescription(what), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
}

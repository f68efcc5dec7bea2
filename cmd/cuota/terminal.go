package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// onTerminal reports whether the file is a terminal.
func onTerminal(file *os.File) bool { return isatty.IsTerminal(file.Fd()) }

// newBar makes a progress bar on standard error, which only a terminal shows.
func newBar(most int64, what string, shown progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(most, shown,
		progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetVisibility(onTerminal(os.Stderr)),
		progressbar.OptionSetDescription(what), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
}

// shortName shortens a file's name for a progress line.
func shortName(path string) string {
	const room = 40
	name := filepath.Base(path)
	if len(name) > room {
		name = "…" + name[len(name)-room+1:]
	}
	return name
}

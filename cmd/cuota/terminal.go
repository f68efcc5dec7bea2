package main

import (
	"os"
	"path/filepath"

	"github.com/mattn/go-isatty"
)

// onTerminal says whether the file is a terminal.
func onTerminal(file *os.File) bool { return isatty.IsTerminal(file.Fd()) }

// shortName shortens a file's name for a progress line.
func shortName(path string) string {
	const room = 40
	name := filepath.Base(path)
	if len(name) > room {
		name = "…" + name[len(name)-room+1:]
	}
	return name
}

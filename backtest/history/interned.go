package history

import (
	"strings"
	"sync"
)

// interned keeps one copy of each text.
type interned struct {
	mu    sync.Mutex
	known map[string]string
}

func newInterned() *interned { return &interned{known: map[string]string{}} }

func (w *interned) get(text string) string {
	if text == "" {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	known, there := w.known[text]
	if !there {
		known = strings.Clone(text) // text is a part of a long one
		w.known[known] = known
	}
	return known
}

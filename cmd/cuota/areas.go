package main

import (
	"net/http"

	"cuota/internal/httpapi"
)

// areas serves several parts of the interface, each below its own paths.
type areas []httpapi.Area

// Paths implements httpapi.Area.
func (a areas) Paths() (paths []string) {
	for _, area := range a {
		paths = append(paths, area.Paths()...)
	}
	return paths
}

// ServeHTTP implements http.Handler.
func (a areas) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, area := range a {
		for _, path := range area.Paths() {
			if httpapi.Below(r.URL.Path, path) {
				area.ServeHTTP(w, r)
				return
			}
		}
	}
	http.NotFound(w, r) // can't happen: httpapi passes on paths of the areas only
}

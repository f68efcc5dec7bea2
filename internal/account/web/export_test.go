package web

import "net/http"

// Writes lists the routes that change something, as METHOD path.
func Writes() []string {
	var list []string
	for _, route := range (&Area{}).table() {
		if route.method != http.MethodGet {
			list = append(list, route.method+" "+route.path)
		}
	}
	return list
}

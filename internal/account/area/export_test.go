package area

import (
	"net/http"
	"strings"
)

// Writes lists the routes that change something, as "METHOD path".
func Writes() []string {
	return routed(func(r route) bool { return r.method != http.MethodGet })
}

// Operations lists the routes that openapi.json describes, as "METHOD path".
func Operations() []string {
	return routed(func(r route) bool { return strings.HasPrefix(r.path, "/api/") })
}

func routed(wanted func(route) bool) []string {
	var list []string
	for _, route := range (&Handler{}).table() {
		if wanted(route) {
			list = append(list, route.method+" "+route.path)
		}
	}
	return list
}

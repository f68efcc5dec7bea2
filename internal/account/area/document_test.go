package area_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cuota/internal/account/area"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

func TestTheDocumentNamesTheOperationsOfTheArea(t *testing.T) {
	var parsed struct {
		Paths map[string]map[string]struct {
			Tags      []string
			Security  []map[string][]string
			Responses map[string]any
		}
		Components struct {
			SecuritySchemes map[string]struct{ Type, In, Name string } `json:"securitySchemes"`
		}
	}
	must(t, json.Unmarshal(query.Document(), &parsed))
	var documented []string
	for path, methods := range parsed.Paths {
		for method, op := range methods {
			if !slices.Contains(op.Tags, "Account") {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			documented = append(documented, name)
			if signedIn := strings.HasPrefix(path, "/api/me"); signedIn != (len(op.Security) == 1 &&
				op.Security[0]["SessionCookie"] != nil) {
				t.Errorf("%s: security %v", name, op.Security)
			}
			want := []string{"429", "500", "503"}
			if method != "get" && !strings.HasSuffix(path, "one-click") {
				want = append(want, "403")
			}
			for _, status := range want {
				if op.Responses[status] == nil {
					t.Errorf("%s declares no %s", name, status)
				}
			}
		}
	}
	routed := area.Operations()
	slices.Sort(documented)
	slices.Sort(routed)
	if diff := cmp.Diff(documented, routed); diff != "" {
		t.Errorf("openapi.json (-) against the routes (+):\n%s", diff)
	}
	if scheme := parsed.Components.SecuritySchemes["SessionCookie"]; scheme.In != "cookie" ||
		scheme.Name != "__Host-cuota-session" {
		t.Errorf("%+v", scheme)
	}
}

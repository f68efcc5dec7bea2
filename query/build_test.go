package query_test

import (
	"net/http"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
)

func TestWhatClientsKeepIsNotValidForAnotherProgram(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	const target = "/api/real_assets/1161378270/returns"
	config := func(program string, returns ...string) query.Config {
		return query.Config{HTTP: unlimited.HTTP, Program: program, Returns: returns}
	}
	of := func(cfg query.Config, validator string) answer {
		r := newRig(t, options, cfg)
		request := r.request(http.MethodGet, target)
		if validator != "" {
			request.Header.Set("If-None-Match", validator)
		}
		return r.do(t, request)
	}
	tag := of(config("first", "clp", "real_uf"), "").header.Get("ETag")
	for name, other := range map[string]query.Config{
		"the same":                   config("first", "clp", "real_uf"),
		"the same, in another order": config("first", "real_uf", "clp"),
	} {
		if got := of(other, tag); got.status != http.StatusNotModified {
			t.Errorf("%s: status %d for what it gave itself", name, got.status)
		}
	}
	for name, other := range map[string]query.Config{
		"another program":      config("second", "clp", "real_uf"),
		"this test's own name": config("", "clp", "real_uf"),
		"other returns":        config("first", "clp"),
		"no other returns":     config("first"),
	} {
		if got := of(other, tag); got.status != http.StatusOK || got.header.Get("ETag") == tag {
			t.Errorf("%s: status %d under %s, which is what %s gave", name, got.status, got.header.Get("ETag"), tag)
		}
	}
	unnamed := of(config(""), "").header.Get("ETag")
	if again := of(config(""), unnamed); again.status != http.StatusNotModified {
		t.Errorf("a build without a name gives %s and then status %d", unnamed, again.status)
	}
}

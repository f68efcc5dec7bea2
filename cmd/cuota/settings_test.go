package main

import (
	"slices"
	"testing"
)

func TestReturnsAreThoseThatTheEnvironmentNames(t *testing.T) {
	for named, want := range map[string][]string{
		"": {"clp", "real_uf"}, "none": nil, "total": {"total"}, "clp,real_uf,total": {"clp", "real_uf", "total"},
	} {
		t.Setenv("CUOTA_RETURNS", named)
		s, err := loadSettings()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.returns("clp", "real_uf"); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", named, got, want)
		}
	}
}

package environment

import (
	"slices"
	"strings"
	"testing"
)

func TestReturnsAreThoseThatTheEnvironmentNames(t *testing.T) {
	for named, want := range map[string][]string{
		"": {"clp", "real_uf"}, "none": nil, "total": {"total"}, "clp,real_uf,total": {"clp", "real_uf", "total"},
	} {
		t.Setenv("CUOTA_RETURNS", named)
		s, err := Load()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.ReturnsOr("clp", "real_uf"); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", named, got, want)
		}
	}
}

func TestAnUnreadableVariableIsReportedByItsName(t *testing.T) {
	for name, value := range map[string]string{"CUOTA_ARCHIVE_GIB": "much", "CUOTA_KEEP_DAYS": "many",
		"CUOTA_ACCOUNTS_CONNECTIONS": "few", "CUOTA_TRUSTED_PROXIES": "everybody", "CUOTA_LOG": "loud"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if _, err := Load(); err == nil || !strings.HasPrefix(err.Error(), name+": ") ||
				!strings.Contains(err.Error(), value) {
				t.Errorf("%s=%s gives %v", name, value, err)
			}
		})
	}
}

func TestDaysThatAreKeptHaveBounds(t *testing.T) {
	for value, fails := range map[string]bool{"": false, "1": false, "3660": false, "-1": true, "3661": true} {
		t.Setenv("CUOTA_KEEP_DAYS", value)
		if _, err := Load(); (err != nil) != fails ||
			fails && !strings.Contains(err.Error(), "CUOTA_KEEP_DAYS is "+value+": ") {
			t.Errorf("CUOTA_KEEP_DAYS=%s gives %v", value, err)
		}
	}
}

func TestTheNameOfACopyIsPlain(t *testing.T) {
	for value, fails := range map[string]bool{"": false, "a": false, "north-2": false, "A": true, "-a": true, "a b": true,
		strings.Repeat("a", 33): true} {
		t.Setenv("CUOTA_COPY", value)
		if _, err := Load(); (err != nil) != fails || fails && !strings.Contains(err.Error(), "CUOTA_COPY is") {
			t.Errorf("CUOTA_COPY=%q gives %v", value, err)
		}
	}
}

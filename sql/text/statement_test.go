package sqltext

import "testing"

func TestAParameterIsFoundByItsName(t *testing.T) {
	const text = "SELECT {as_of:Date}, '{batch:UInt64}', day AS previous -- {from:Date}"
	for name, want := range map[string]bool{"as_of": true, "as": false, "batch": false, "previous": false,
		"from": false} {
		if HasParameter(text, name) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}

package parse

import "testing"

func TestManglingIsUndoneStretchByStretch(t *testing.T) {
	for mangled, want := range map[string]string{
		"": "", "PLAIN": "PLAIN", "Móvil": "Móvil", "MÃ³vil": "Móvil", "RENTA MÃ\u0081S": "RENTA MÁS",
		"Ã‘UÃ‘OA":       "ÑUÑOA",
		"Ã±andÃº y año": "ñandú y año", "a â€“ b": "a – b", "Ã": "Ã", "日本": "日本", "90 dÃ\u00adas Â°": "90 días °",
	} {
		if got := unmangled(mangled); got != want {
			t.Errorf("%q gives %q, want %q", mangled, got, want)
		}
	}
}

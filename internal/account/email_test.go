package account

import (
	"errors"
	"net/mail"
	"strings"
	"testing"
)

func TestAnAddressHasOneForm(t *testing.T) {
	for given, want := range map[string]string{
		"ana@example.cl":                    "ana@example.cl",
		"  Ana.Soto+Fondos@Example.CL \r\n": "ana.soto+fondos@example.cl",
		"o'higgins@xn--and-6ma2c.cl":        "o'higgins@xn--and-6ma2c.cl",
		strings.Repeat("a", 64) + "@b.cl":   strings.Repeat("a", 64) + "@b.cl",
	} {
		got, err := normalizeEmail(given)
		if err != nil || got != want {
			t.Errorf("%q: %q, error %v, want %q", given, got, err, want)
		}
	}
}

func TestWhatIsNoPlainAddressIsRefused(t *testing.T) {
	label := strings.Repeat("b", 63)
	long := strings.Repeat("a", 64) + "@" + label + "." + label + "." + label[:58] + ".cl" // 254
	if got, err := normalizeEmail(long); err != nil || len(got) != 254 {
		t.Fatalf("254 characters: %d, %v", len(got), err)
	}
	for _, given := range []string{
		"", " ", "ana", "@example.cl", "ana@", "ana@localhost", "ana@example.cl@example.cl", "ana@@example.cl",
		"ana@example..cl", "ana@.example.cl", "ana@example.cl.", ".ana@example.cl", "ana.@example.cl",
		"a..b@example.cl",
		"ana@-example.cl", "ana@example-.cl", "ana@exa_mple.cl", "ana@127.0.0.1", "ana@[127.0.0.1]", "ana@example.1",
		"Ana <ana@example.cl>", "<ana@example.cl>", "ana@example.cl (Ana)", "(x)ana@example.cl", `"ana"@example.cl`,
		`"a b"@example.cl`,
		"ana@example.cl, eva@example.cl", "ana@example.cl;eva@example.cl", "undisclosed:;",
		"ana@example.cl\r\nBcc: eva@example.cl", "ana\n@example.cl", "ana\x00@example.cl", "ana\t@example.cl",
		"ana @example.cl",
		"ana\u212A@example.cl", "ana@ex\u0430mple.cl", "ñandú@example.cl", "ana\u2028@example.cl",
		"=?utf-8?q?ana=40evil.cl=3e?=@example.cl", "\xff@example.cl",
		strings.Repeat("a", 65) + "@example.cl", "a@" + label + "b.cl", "a" + long, strings.Repeat("a", 1<<20),
	} {
		if got, err := normalizeEmail(given); !errors.Is(err, ErrInvalidEmail) {
			t.Errorf("%.80q: %q, error %v, want ErrInvalidEmail", given, got, err)
		} else if len(given) > 8 && strings.Contains(err.Error(), given) {
			t.Errorf("the error repeats what was given: %v", err)
		}
	}
}

func FuzzNormalizeEmail(f *testing.F) {
	for _, seed := range []string{"ana@example.cl", " A+b@C.D ", `"x y"@a.b`, "a@[1.2.3.4]", "a@b.cl\r\nBcc: c@d.cl",
		"K@b.cl", "=?x?="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		got, err := normalizeEmail(given)
		if err != nil {
			if !errors.Is(err, ErrInvalidEmail) || got != "" {
				t.Fatalf("%q: %q, %v", given, got, err)
			}
			return
		}
		if again, err := normalizeEmail(got); err != nil || again != got {
			t.Fatalf("%q is not its own form: %q, %v", got, again, err)
		}
		if len(got) > 254 || strings.ContainsFunc(got, func(r rune) bool {
			return r <= ' ' || r > '~' || r >= 'A' && r <= 'Z'
		}) {
			t.Fatalf("%q was accepted as %q", given, got)
		}
		if !strings.EqualFold(strings.TrimSpace(given), got) {
			t.Fatalf("%q became %q", given, got)
		}
		// As a header it is exactly one address, and it is unchanged.
		list, err := mail.ParseAddressList(got)
		if err != nil || len(list) != 1 || list[0].Address != got {
			t.Fatalf("%q reads as %v, %v", got, list, err)
		}
	})
}

package ingest

import (
	"os"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// fixture reads a small file of real lines from testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The test changes line 2 of a good cartola and expects only that row to be rejected.
// The rejection names the row's day where the day is certain.
func TestBrokenRowIsRejectedWithItsReason(t *testing.T) {
	good := fixture(t, "cartola.txt")
	for _, test := range []struct {
		name, old, new string
		reason         string
		hasDay         bool
	}{
		{"decimal comma", ";1421.0319;", ";1421,0319;", "column 13, VALOR_CUOTA: \"1421,0319\" has a comma", true},
		{"thousands separators", ";1421.0319;", ";1.421.031,9;", "has a comma", true},
		{"several points", ";1421.0319;", ";1.421.0319;", "several points", true},
		{"negative quota", ";1421.0319;", ";-1421.0319;", "is negative", true},
		{"quota of zero", ";1421.0319;", ";0;", "column 13, VALOR_CUOTA: \"0\" is not above 0", true},
		{"quota of zero with decimals", ";1421.0319;", ";0.0000;", "is not above 0", true},
		{"plus sign", ";1421.0319;", ";+1421.0319;", "is not a number", true},
		{"exponent", ";1421.0319;", ";1.4e3;", "is not a number", true},
		{"infinity", ";1421.0319;", ";Inf;", "is not a number", true},
		{"not a number", ";1421.0319;", ";NaN;", "is not a number", true},
		{"hexadecimal", ";1421.0319;", ";0x1p3;", "is not a number", true},
		{"space inside a number", ";1421.0319;", ";1 421.0319;", "has a space", true},
		{"space before a number", ";1421.0319;", "; 1421.0319;", "has a space", true},
		{"point at the end", ";1421.0319;", ";1421.;", "ends with a point", true},
		{"point alone", ";1421.0319;", ";.;", "ends with a point", true},
		{"blank quota", ";1421.0319;", ";;", "is blank", true},
		{"quota with seven decimals", ";1421.0319;", ";1421.0319001;", "more than 6 decimals", true},
		{"quota with thirteen digits", ";1421.0319;", ";1234567890123;", "more than 12 digits", true},
		{"equity with five decimals", ";12749951;", ";12749951.00001;", "more than 4 decimals", true},
		{"negative equity", ";12749951;", ";-12749951;", "is negative", true},
		{"other digits", ";1421.0319;", ";١٤٢١;", "is not a number", true},
		{"fractional shareholders", ";12749951;1;", ";12749951;1.5;", "is not a count", true},
		{"too many shareholders", ";12749951;1;", ";12749951;4294967296;", "is not a count", true},
		{"more shareholders than people", ";12749951;1;", ";12749951;4294967295;",
			"NUM_PARTICIPES: \"4294967295\" is more than 100000000", true},
		{"negative factor", ";0;0;;\n", ";0;0;;-1\n", "is negative", true},
		{"factor with ten decimals", ";0;0;;\n", ";0;0;1.0123456789;\n", "more than 9 decimals", true},
		{"blank currency", ";$$;S;1;I;", "; ;S;1;I;", "column 6, MONEDA: is blank, expected a currency", true},
		{"wrong check digit", ";8011;", ";8011-1;", "wrong check digit", false},
		{"RUN with a dot that separates no thousands", ";8011;", ";80.11;", "is not a RUN", false},
		{"RUN as a spreadsheet writes it", ";8011;", ";8011.0;", "is not a RUN", false},
		{"RUN with a dot and a wrong check digit", ";8011;", ";8.011-1;", "wrong check digit", false},
		{"RUN with a space", ";8011;", ";80 11;", "is not a RUN", false},
		{"RUN of nine digits", ";8011;", ";801100000;", "not a number of one to eight digits", false},
		{"RUT of zero", "91999000;", "0;", "RUN_ADM", true},
		{"day that does not exist", ";20260201;", ";20260230;", "not a calendar date", false},
		{"day with dashes", ";20260201;", ";2026-02-01;", "not a calendar date", false},
		{"day after tomorrow", ";20260201;", ";20260903;", "lies in the future", false},
		{"day before all", ";20260201;", ";19601231;", "before 1971-01-01", false},
		{"series too long", ";I;0;0;", ";" + strings.Repeat("I", 41) + ";0;0;", "longer than 40 bytes", false},
		{"name missing", ";PRINCIPAL ASSET MANAGEMENT ADMINISTRADORA GENERAL DE FONDOS S.A.;", "; ;", "manager is",
			true},
		{"column missing at the end", ";0;0;;\n", ";0;0;\n", "the row has 24 columns, expected 25", true},
		{"column more at the end", ";0;0;;\n", ";0;0;;;\n", "the row has 26 columns, expected 25", true},
		{"column missing before the series", ";S;1;I;", ";S;I;", "the row has 24 columns, expected 25", false},
		// a number stands in its place
		{"series missing", ";S;1;I;", ";S;1;", "the row has 24 columns, expected 25", false},
		{"separator in the name", "PRINCIPAL ASSET", "PRINCIPAL;ASSET", "the row has 26 columns", false},
		{"NUL", ";1421.0319;", ";1421.0319\x00;", "control characters", true},
		{"escape sequence", ";I;0;0;", ";\x1b[2J;0;0;", "control characters", false},
		{"lone carriage return", ";1421.0319;", ";1421.0319\r;", "control characters", true},
		{"lost character", "PRINCIPAL ASSET", "PRINCIPAL\ufffdASSET", "control characters", true},
		{"enormous line", "PRINCIPAL ASSET", "PRINCIPAL" + strings.Repeat(" ", 200_000) + "ASSET", "longer than 64 KiB",
			false},
	} {
		t.Run(test.name, func(t *testing.T) {
			content := strings.Replace(good, test.old, test.new, 1)
			if content == good {
				t.Fatalf("%q is not in the fixture", test.old)
			}
			h := newHarness(t)
			report := h.ingest(t, model.Cartola, fileOf(t, "broken.txt", content))
			if report.Refused || report.Published != 5 || report.Rejected != 1 || report.Read != 6 {
				t.Fatalf("report %+v, want one row of six rejected", report)
			}
			reject := decoded[model.Reject](t, h.out.topics[model.Cartola.RejectTopic()][0])
			if reject.Line != 2 || reject.File != "broken.txt" || !strings.Contains(reject.Reason, test.reason) {
				t.Errorf("rejected %s:%d for %q, want line 2 for %q", reject.File, reject.Line, reject.Reason,
					test.reason)
			}
			if len(reject.Raw) > excerpt.MaxRow ||
				!strings.HasPrefix(content[strings.Index(content, "\n")+1:], excerpt.Cut(reject.Raw, 20)) {
				t.Errorf("the rejection keeps %d bytes %q, not the row", len(reject.Raw), excerpt.Cut(reject.Raw, 60))
			}
			if reject.HasDay() != test.hasDay {
				t.Fatalf("the rejection has a day: %v, want %v (%+v)", reject.HasDay(), test.hasDay, reject)
			}
			if test.hasDay && (reject.RUN != 8011 || reject.Serie != "I" || reject.Date != model.NewDate(2026, 2, 1)) {
				t.Errorf("the rejection is of %s %s %s, want 8011-K I 2026-02-01", reject.RUN, reject.Serie,
					reject.Date)
			}
			if manifest := h.out.manifests(t)[0]; manifest.Rows != 6 || manifest.Keys != 5 || manifest.Rejected != 1 {
				t.Errorf("manifest %+v, want 6 rows, 5 keys, 1 rejected", manifest)
			}
		})
	}
}

func TestUnusualButPlainRowIsPublished(t *testing.T) {
	good := fixture(t, "cartola.txt")
	header, rows, _ := strings.Cut(good, "\n")
	first := func(t *testing.T, content string) model.Quota {
		t.Helper()
		h := newHarness(t)
		report := h.ingest(t, model.Cartola, fileOf(t, "plain.txt", content))
		if report.Published != 6 || report.Rejected != 0 {
			t.Fatalf("report %+v, want six rows published", report)
		}
		return decoded[model.Quota](t, h.out.topics[model.Cartola.Topic()][0])
	}
	replaced := func(old, replacement string) string { return strings.Replace(good, old, replacement, 1) }
	null := decimal.NullDecimal{}
	for _, test := range []struct {
		name, content string
		holds         func(model.Quota) bool
	}{
		{"as it is", good, func(q model.Quota) bool {
			return q.RUN == 8011 && q.Quota.String() == "1421.0319" && q.Line == 2
		}},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), func(q model.Quota) bool {
			return q.DistributionFactor == null
		}},
		{"byte order mark", "\ufeff" + good, func(q model.Quota) bool { return q.RUN == 8011 }},
		{"blank lines", "\n" + header + "\n\n \n" + rows + "\n", func(q model.Quota) bool { return q.Line == 5 }},
		{"UTF-8", replaced("PRINCIPAL ASSET", "ÑUÑOA"), func(q model.Quota) bool {
			return strings.HasPrefix(q.Manager, "ÑUÑOA ")
		}},
		{"Latin-1", replaced("PRINCIPAL ASSET", "\xd1U\xd1OA"), func(q model.Quota) bool {
			return strings.HasPrefix(q.Manager, "ÑUÑOA ")
		}},
		{"Windows-1252", replaced("PRINCIPAL ASSET", "A \x96 B"), func(q model.Quota) bool {
			return strings.HasPrefix(q.Manager, "A – B ")
		}},
		{"double spaces in a name", replaced("PRINCIPAL ASSET", " PRINCIPAL   ASSET"), func(q model.Quota) bool {
			return strings.HasPrefix(q.Manager, "PRINCIPAL ASSET MAN")
		}},
		{"no zero before the point", replaced("1421.0319", ".0881"), func(q model.Quota) bool {
			return q.Quota.String() == "0.0881"
		}},
		{"six decimals", replaced("1421.0319", "123456789012.123456"), func(q model.Quota) bool {
			return q.Quota.String() == "123456789012.123456"
		}},
		{"zeros behind the decimals", replaced("1421.0319", "1421.03190000"), func(q model.Quota) bool {
			return q.Quota.String() == "1421.0319"
		}},
		{"accrual taken back", replaced(";4.3423;", ";-4.3423;"), func(q model.Quota) bool {
			return q.AffectedExpenses.String() == "-4.3423"
		}},
		{"blank series", replaced(";I;0;0;", ";;0;0;"), func(q model.Quota) bool { return q.Serie == model.SoleSerie }},
		{"series in small letters", replaced(";I;0;0;", "; col-z  apv/apvc ;0;0;"), func(q model.Quota) bool {
			return q.Serie == "COL-Z APV/APVC"
		}},
		{"euros", replaced(";$$;S;1;I;", ";EUR;S;1;I;"), func(q model.Quota) bool { return q.Currency == "EUR" }},
		{"currency that nobody knows", replaced(";$$;S;1;I;", ";UF;S;1;I;"), func(q model.Quota) bool {
			return q.Currency == "UF"
		}},
		{"new word for a flag", replaced(";$$;S;1;I;", ";$$;X;1;I;"), func(q model.Quota) bool {
			return q.InstitutionalFlag == "X" && q.PensionFlag == "N"
		}},
		{"amount in funds", replaced(";$$;S;1;I;", ";$$;N;122646880780.4961;I;"), func(q model.Quota) bool {
			return q.InstitutionalFlag == "N" && q.InvestedInFunds.Decimal.String() == "122646880780.4961"
		}},
		{"amount in funds that is no amount", replaced(";$$;S;1;I;", ";$$;N;S;I;"), func(q model.Quota) bool {
			return q.InvestedInFunds == null
		}},
		{"factors", replaced(";0;0;;\n", ";0;0;1.5;1.000123456\n"), func(q model.Quota) bool {
			return q.AdjustmentFactor.Decimal.String() == "1.5" &&
				q.DistributionFactor.Decimal.String() == "1.000123456"
		}},
		{"factor of zero", replaced(";0;0;;\n", ";0;0;0;0.0\n"), func(q model.Quota) bool {
			return q.AdjustmentFactor == null && q.DistributionFactor == null
		}},
		{"RUN with dots", replaced(";8011;", ";8.011-K;"), func(q model.Quota) bool { return q.RUN == 8011 }},
		{"RUT with dots", replaced("91999000;", "91.999.000-7;"), func(q model.Quota) bool {
			return q.ManagerRUT == 91_999_000
		}},
		{"as many shareholders as are accepted", replaced(";12749951;1;", ";12749951;100000000;"),
			func(q model.Quota) bool {
				return q.Shareholders == 100_000_000
			}},
		{"check digit", replaced(";8011;", ";8011-k;"), func(q model.Quota) bool { return q.RUN == 8011 }},
		{"tomorrow", replaced(";20260201;", ";20260902;"), func(q model.Quota) bool {
			return q.Date == model.NewDate(2026, 9, 2)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.content == good && test.name != "as it is" {
				t.Fatal("nothing was replaced")
			}
			if q := first(t, test.content); !test.holds(q) {
				t.Errorf("published %+v", q)
			}
		})
	}
}

func TestTruncatedLastRowIsRejected(t *testing.T) {
	good := fixture(t, "cartola.txt")
	lines := strings.Count(good, "\n")
	for _, test := range []struct {
		name   string
		cut    string // the file ends before the last occurrence of this text
		hasDay bool
	}{
		{"only the line end is missing", "\n", true},
		{"inside the quota", "155;", true},
		{"right after the series", "0;0;28800000", true},
		{"inside the series", ";0;0;28800000", false}, // the name of the series may be incomplete
		{"inside the day", "720;113227", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t)
			report := h.ingest(t, model.Cartola, fileOf(t, "cut.txt", good[:strings.LastIndex(good, test.cut)]))
			if report.Published != uint64(lines-2) || report.Rejected != 1 {
				t.Fatalf("report %+v, want the last row alone rejected", report)
			}
			reject := report.FirstRejects[0]
			if !strings.Contains(reject.Reason, "cut off") || int(reject.Line) != lines {
				t.Errorf("line %d rejected for %q", reject.Line, reject.Reason)
			}
			if reject.HasDay() != test.hasDay {
				t.Errorf("the rejection has a day: %v, want %v (%+v)", reject.HasDay(), test.hasDay, reject)
			}
		})
	}
}

func TestFileOfAnotherKindIsRefusedAsAWhole(t *testing.T) {
	good := fixture(t, "cartola.txt")
	header, rows, _ := strings.Cut(good, "\n")
	for _, test := range []struct{ name, content, reason string }{
		{"empty", "", "the file is empty"},
		{"blank", "\n\r\n \n", "the file is empty"},
		{"web page", "\r\n<!DOCTYPE html>\n<html>" + good, "web page"},
		{"zip", "PK\x03\x04\x14\x00" + good, "zip archive"},
		{"old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + good, "old Excel workbook"},
		{"gzip", "\x1f\x8b\x08\x00" + good, "gzip"},
		{"PDF", "%PDF-1.7\n" + good, "PDF"},
		{"UTF-16", "\xff\xfeR\x00U\x00N\x00\n\x00", "UTF-16"},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00", "binary"},
		{"NULs", strings.Repeat("\x00", 100_000), "binary"},
		{"header alone", header + "\n", "has a header and no rows"},
		{"header alone, cut", header, "no header: the last line has no line end"},
		{"no header", rows, "column 1 of the header is \"91999000\", but dataset cartola has RUN_ADM there"},
		{"header reordered", strings.Replace(good, "RUN_ADM;NOM_ADM", "NOM_ADM;RUN_ADM", 1),
			"column 1 of the header is \"NOM_ADM\""},
		{"header with a column more", strings.Replace(good, "RUN_ADM;", "RUN_ADM;DV_ADM;", 1),
			"the header has 26 columns"},
		{"another separator", strings.ReplaceAll(good, ";", ","), "the header has 1 columns"},
		{"enormous first line", strings.Repeat("x", 200_000) + "\n" + good, "longer than 64 KiB"},
		{"another dataset", fixture(t, "register.txt"), "the header has 11 columns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t)
			report := h.ingest(t, model.Cartola, fileOf(t, "other.txt", test.content))
			if !report.Refused || report.Rejected != 1 || report.Read != 0 || report.Published != 0 {
				t.Fatalf("report %+v, want the file refused", report)
			}
			rejects := h.out.topics[model.Cartola.RejectTopic()]
			if len(rejects) != 1 || len(h.out.topics) != 1 {
				t.Fatalf("%d rejections on %d topics, want one and nothing else", len(rejects), len(h.out.topics))
			}
			reject := decoded[model.Reject](t, rejects[0])
			if reject.Line != 1 || !strings.Contains(reject.Reason, test.reason) || len(reject.Raw) > excerpt.MaxRow ||
				reject.HasDay() {
				t.Errorf("rejection %+v, want line 1 and %q", reject, test.reason)
			}
		})
	}
}

package store

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"cuota/model"
)

// someQuota has an unusual value in a field of every type.
func someQuota() model.Quota {
	return model.Quota{
		Source: model.Source{SHA256: strings.Repeat("0af", 21) + "9", Line: 4_294_967_295, Revision: 1_755_000_000_123},
		RUN:    9809, Serie: "Ñ-1", Date: model.NewDate(2024, 2, 29), ManagerRUT: 91_999_000, Manager: "ADMINISTRADORA",
		Currency: "$$",
		Quota:    decimal.New(1_234_567_891, -6), Equity: decimal.New(999_999_999_999_999_999, -4),
		TotalAssets:  decimal.NewNullDecimal(decimal.New(5, 0)),
		Shareholders: 7, Institutional: new(uint32(3)), PensionFlag: "S", FixedFee: decimal.New(-125, -4),
		AdjustmentFactor: decimal.NewNullDecimal(decimal.New(1_000_000_001, -9)),
	}
}

func encoded(t testing.TB, q model.Quota) string {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAQuotaAsIngestWritesItIsReadThePlainWay(t *testing.T) {
	t.Parallel()
	for name, quota := range map[string]model.Quota{"full": someQuota(), "empty": {}} {
		text := encoded(t, quota)
		var plain, want model.Quota
		if !plainQuota([]byte(text), &plain) {
			t.Errorf("%s: %s is left to encoding/json", name, text)
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, plain, sameNumbers); diff != "" {
			t.Errorf("%s (-encoding/json +plain):\n%s", name, diff)
		}
	}
}

// sameNumbers compares decimals by their value, not by their representation.
var sameNumbers = cmp.Options{
	cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Exponent() == b.Exponent() && a.Equal(b) }),
	cmp.Comparer(func(a, b model.Date) bool { return a == b }),
}

// An event that an earlier version of ingest wrote may still be in Kafka while the program is updated.
func TestAQuotaOfAnEarlierVersionKeepsWhatItStates(t *testing.T) {
	t.Parallel()
	quota := someQuota()
	quota.InvestedInFunds = decimal.NewNullDecimal(decimal.New(1, 0))
	text := encoded(t, quota)
	former := strings.Replace(text, `"participes_inst":"","fondo_pen":"S","invested_in_funds":"1"`,
		`"institutional_fund":false,"pension_fund":true,"invests_in_funds":true`, 1)
	if former == text {
		t.Fatalf("nothing was replaced in %s", text)
	}
	quota.InstitutionalFlag = "N"
	var got model.Quota
	if err := decodeQuota([]byte(former), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(quota, got, sameNumbers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzAQuotaIsDecodedAsEncodingJSONDoes(f *testing.F) {
	text := encoded(f, someQuota())
	f.Add(text)
	f.Add(encoded(f, model.Quota{}))
	for _, change := range []struct{ from, to string }{
		{`"$$"`, `"$$"`}, {`"line":4294967295`, `"line":4294967296`}, {`"line":4294967295`, `"line":01`},
		{`"line":4294967295`, `"line":-1`},
		{`"run":9809`, `"run":9.0`}, {`"run":9809`, `"run":1e3`}, {`"run":9809`, `"run":null`},
		{`"run":9809`, `"run":"9809"`},
		{`"run":9809`, `"run":99999999999999999999`}, {`,"run"`, `, "run"`}, {`,"run":9809`, ``}, {`"run"`, `"RUN"`},
		{`,"run":9809`, `,"run":1,"run":2`},
		{`2024-02-29`, `2023-02-29`}, {`"2024-02-29"`, `null`}, {`2024-02-29`, ``}, {`2024-02-29`, `1970-01-01`},
		{`Ñ-1`, "\xff"}, {`Ñ-1`, `\u00d1`}, {`Ñ-1`, "a\tb"},
		{`"5"`, `5`}, {`"5"`, `"05.10"`}, {`"5"`, `"-0"`}, {`"5"`, `".5"`}, {`"5"`, `"5."`}, {`"5"`, `"+5"`},
		{`"5"`, `"5e3"`}, {`"5"`, `"--5"`},
		{`"5"`, `"1234567890123456789012"`}, {`"5"`, `"0.0000000000000000001"`}, {`"5"`, `""`}, {`"5"`, `"-"`},
		{`"5"`, `null`}, {`"5"`, `"null"`},
		{`"S"`, `null`}, {`"S"`, `true`}, {`"S"`, `1`}, {`null}`, `"null"}`}, {`null}`, `nul}`}, {`null}`, `null} `},
		{`null}`, `null}}`}, {`null}`, `null`},
	} {
		f.Add(strings.Replace(text, change.from, change.to, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want, got model.Quota
		wantErr, gotErr := json.Unmarshal([]byte(text), &want), decodeQuota([]byte(text), &got)
		var former formerFlags
		if err := json.Unmarshal([]byte(text), &former); err != nil {
			wantErr = err
		}
		former.complete(&want)
		if (wantErr == nil) != (gotErr == nil) {
			t.Fatalf("%q: encoding/json says %v, we say %v", text, wantErr, gotErr)
		}
		if wantErr != nil {
			return
		}
		if diff := cmp.Diff(want, got, sameNumbers); diff != "" {
			t.Errorf("%q (-encoding/json +ours):\n%s", text, diff)
		}
	})
}

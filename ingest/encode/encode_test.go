package encode

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"cuota/model"
)

func TestQuotaIsEncodedAsEncodingJSONDoes(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) decimal.Decimal {
		const eighteenDigits = 999_999_999_999_999_999
		return decimal.New(rapid.Int64Range(-eighteenDigits, eighteenDigits).Draw(t, "coefficient"),
			rapid.Int32Range(-9, 2).Draw(t, "exponent"))
	})
	maybe := rapid.Custom(func(t *rapid.T) decimal.NullDecimal {
		return decimal.NullDecimal{Decimal: number.Draw(t, "factor"), Valid: rapid.Bool().Draw(t, "valid")}
	})
	count, text := rapid.Uint32(), rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		quota := &model.Quota{
			Source: model.Source{
				SHA256: text.Draw(t, "sha256"), Line: count.Draw(t, "line"),
				Revision: rapid.Int64().Draw(t, "revision"),
			},
			RUN: model.RUN(count.Draw(t, "run")), Serie: text.Draw(t, "serie"),
			Date:       model.NewDate(1971, 1, 1).AddDays(rapid.IntRange(0, 47_000).Draw(t, "days")),
			ManagerRUT: model.RUT(count.Draw(t, "rut")), Manager: text.Draw(t, "manager"),
			Currency: text.Draw(t, "currency"),
			Quota:    number.Draw(t, "n"), Equity: number.Draw(t, "n"), TotalAssets: maybe.Draw(t, "n"),
			UnitsOutstanding: number.Draw(t, "n"), UnitsContributed: number.Draw(t, "n"),
			UnitsRedeemed: number.Draw(t, "n"),
			Shareholders:  count.Draw(t, "n"), Institutional: rapid.Ptr(count, true).Draw(t, "n"),
			InstitutionalFlag: text.Draw(t, "f"), PensionFlag: text.Draw(t, "f"), InvestedInFunds: maybe.Draw(t, "i"),
			FixedFee: number.Draw(t, "n"), VariableFee: number.Draw(t, "n"),
			AffectedExpenses: number.Draw(t, "n"), UnaffectedExpenses: number.Draw(t, "n"),
			SubscriptionFee: maybe.Draw(t, "n"), RedemptionFee: maybe.Draw(t, "n"),
			AdjustmentFactor: maybe.Draw(t, "a"), DistributionFactor: maybe.Draw(t, "d"),
		}
		want, err := json.Marshal(quota)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendQuota(nil, quota); !bytes.Equal(got, want) {
			t.Fatalf("encoded\n%s, encoding/json gives\n%s", got, want)
		}
	})
}

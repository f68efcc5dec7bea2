package ingest

import (
	"testing"

	"cuota/model"
)

// TestEveryPublishedFileIsReadWhole compares the real files of the demo market with
// counts that were taken from them by other means.
func TestEveryPublishedFileIsReadWhole(t *testing.T) {
	const market, later = "../demo/files/", "../testdata/later/"
	for _, file := range []struct {
		dataset         model.Dataset
		path            string
		published, keys uint64
		rejected        uint64
		first, last     string
	}{
		{model.Cartola, market + "cartola/cartola_9809_9810_20191014_20191231.txt", 299, 299, 0, "2019-10-14",
			"2019-12-31"},
		{model.Cartola, market + "cartola/cartola_9809_9810_20200101_20201231.txt", 1516, 1516, 0, "2020-01-01",
			"2020-12-31"},
		{model.Cartola, market + "cartola/cartola_9809_9810_20210101_20211231.txt", 2920, 2920, 0, "2021-01-01",
			"2021-12-31"},
		{model.Cartola, market + "cartola/cartola_9809_9810_20220101_20221231.txt", 2920, 2920, 0, "2022-01-01",
			"2022-12-31"},
		{model.Cartola, market + "cartola/cartola_9809_9810_20230101_20231231.txt", 3078, 3078, 0, "2023-01-01",
			"2023-12-31"},
		{model.Cartola, market + "cartola/cartola_9809_9810_20240101_20241231.txt", 3294, 3294, 0, "2024-01-01",
			"2024-12-31"},
		{model.Cartola, market + "cartola/cartola_9809_9810_20250101_20250720.txt", 1809, 1809, 0, "2025-01-01",
			"2025-07-20"},
		{model.Cartola, market + "cartola/cartola_market_20250720_derived.txt", 2840, 2840, 0, "2025-07-20",
			"2025-07-20"},
		{model.Cartola, later + "cartola/cartola_9809_9810_20250721_20250831.txt", 378, 378, 0, "2025-07-21",
			"2025-08-31"},
		{model.Cartola, later + "cartola/cartola_excerpt_9_funds.txt", 47, 47, 0, "2025-07-01", "2026-02-08"},
		{model.Register, market + "register/fm_ident_20250721.txt", 3373, 1331, 0, "", ""},
		{model.TACComparator, market + "comparator/cmf_tac_20250930.csv", 2043, 2043, 0, "2025-09-30", "2025-09-30"},
		{model.ReturnsComparator, market + "comparator/cmf_rentabilidades_20250930.csv", 2035, 2035, 0, "2025-09-30",
			"2025-09-30"},
		// The five rejected rows have RUN 9430-3, whose check digit is wrong at the
		// source.
		{model.AAFM, market + "aafm/aafm_resumen_diario_20250720.csv", 2896, 2896, 5, "2025-07-20", "2025-07-20"},
		{model.UF, market + "macro/uf_diaria.csv", 9728, 9728, 0, "2000-01-01", "2026-08-19"},
		{model.Dolar, market + "macro/dolar_observado.csv", 6636, 6636, 0, "2000-01-03", "2026-08-19"},
		{model.FIRegister, market + "fi/fondos_inversion.csv", 955, 955, 0, "", ""},
	} {
		t.Run(file.path, func(t *testing.T) {
			h := newHarness(t)
			report := h.ingest(t, file.dataset, file.path)
			if report.Refused || report.Published != file.published || report.Keys != file.keys ||
				report.Rejected != file.rejected {
				t.Fatalf("published %d rows with %d keys and rejected %d, want %d, %d, %d; first rejects %+v",
					report.Published, report.Keys, report.Rejected, file.published, file.keys, file.rejected,
					report.FirstRejects)
			}
			if first, last := text(report.FirstDate), text(report.LastDate); first != file.first || last != file.last {
				t.Errorf("dates from %s to %s, want %s to %s", first, last, file.first, file.last)
			}
			manifests := h.out.manifests(t)
			if len(manifests) != 1 || manifests[0].Rows != report.Read || manifests[0].Keys != file.keys ||
				manifests[0].Rejected != file.rejected {
				t.Errorf("manifests %+v do not say what was published", manifests)
			}
			if got := uint64(len(h.out.topics[file.dataset.Topic()])); got != file.published {
				t.Errorf("%d events on the topic, want %d", got, file.published)
			}
			if got := uint64(len(h.out.topics[file.dataset.RejectTopic()])); got != file.rejected {
				t.Errorf("%d rejected rows on the reject topic, want %d", got, file.rejected)
			}
		})
	}
}

func text(date model.Date) string {
	if date.IsZero() {
		return ""
	}
	return date.String()
}

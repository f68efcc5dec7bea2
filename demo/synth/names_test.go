package synth

import (
	"encoding/csv"
	"strings"
	"testing"

	"cuota/model"
)

func TestEveryNameSaysSinteticoAndEveryNumberIsInvented(t *testing.T) {
	dir, _ := written(t, small(1))
	real := map[int]bool{}
	for _, line := range lines(t, "../files", "register/fm_ident_20250721.txt") {
		if fields := strings.Split(line, ";"); len(fields) > 2 {
			real[atoi(t, fields[2])] = true
		}
	}
	for _, line := range lines(t, "../files", "fi/fondos_inversion.csv") {
		if run, _, found := strings.Cut(line, ","); found {
			real[atoi(t, run)] = true
		}
	}
	if len(real) < 2000 {
		t.Fatalf("%d real numbers", len(real))
	}
	check := func(dataset model.Dataset, run string, names ...string) {
		t.Helper()
		number, err := model.ParseRUN(run)
		if err != nil || real[int(number)] || number < 70_000_000 || number > 79_999_999 {
			t.Errorf("%s: RUN %s (%v)", dataset, run, err)
		}
		for _, name := range names {
			if !strings.Contains(name, mark) {
				t.Errorf("%s: %q does not say %s", dataset, name, mark)
			}
		}
	}
	for _, file := range listed(t, dir) {
		text := string(read(t, dir, file.file))
		if !strings.Contains(file.file, "sintetic") {
			t.Errorf("%s does not say that it is synthetic", file.file)
		}
		rows := csv.NewReader(strings.NewReader(text))
		if strings.HasSuffix(file.file, ".txt") || file.dataset == model.TACMonthly || file.dataset == model.FIValues ||
			file.dataset == model.Holdings {
			rows.Comma = ';'
		}
		rows.FieldsPerRecord = -1
		all, err := rows.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range all[1:] {
			switch file.dataset {
			case model.Cartola:
				check(file.dataset, row[2], row[1])
				if rut := atoi(t, row[0]); rut < 40_000_000 || rut >= 50_000_000 {
					t.Errorf("RUT %d may be somebody's", rut)
				}
			case model.Register:
				check(file.dataset, row[2], row[1], row[3], row[4])
			case model.AAFM:
				check(file.dataset, row[1], row[0], row[3])
			case model.TACComparator:
				check(file.dataset, row[0], row[6], row[7])
			case model.ReturnsComparator:
				check(file.dataset, row[0], row[15], row[16])
			case model.FIRegister:
				check(file.dataset, row[0], row[1], row[2])
			case model.FIValues:
				check(file.dataset, row[0])
			case model.TACMonthly:
				check(file.dataset, "70000001", row[1], row[2])
			case model.Holdings:
				if strings.HasPrefix(file.file, "holdings/fi_") {
					check(file.dataset, row[0])
					if row[2] == "TOTAL" {
						continue
					}
				} else {
					check(file.dataset, row[0], row[1])
				}
				if !strings.Contains(row[2], "SINT") {
					t.Errorf("instrument %q does not say that it is synthetic", row[2])
				}
			case model.Events:
				runs := []string{row[1]}
				if row[0] == model.KindExchange {
					runs = []string{row[3], row[5]}
				}
				for _, run := range runs {
					check(file.dataset, run)
				}
			case model.Article107s:
				check(file.dataset, row[0], row[5])
			case model.Vehicles:
				check(file.dataset, row[0], row[4])
			case model.Benchmarks:
				if len(row) == 7 {
					check(file.dataset, "70000001", row[2])
				}
				if !strings.Contains(row[0]+row[1], "SINT") {
					t.Errorf("symbol of %v does not say that it is synthetic", row)
				}
			case model.UF, model.Dolar:
			default:
				t.Errorf("nothing checks the names of %s", file.dataset)
			}
		}
	}
}

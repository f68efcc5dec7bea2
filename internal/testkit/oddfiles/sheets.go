package oddfiles

import (
	"fmt"
	"strings"

	"cuota/model"
)

// sheets are the forms of files by kind.
var sheets = map[string]sheet{
	"fi-register": {
		dataset: model.FIRegister, name: "fi_register.csv", separator: ",", quoted: true, key: []int{0},
		above: []string{"run,nombre,administradora,tipo,estado"},
		row: func(g *generator) []cell {
			state := g.pick("vigente", "no vigente")
			return []cell{g.run("run", "run"), g.needed("name"), g.needed("manager"),
				g.word("kind", "FIRES", "FINRE", "=OTRO"), {text: state, name: "state", value: state}}
		},
	},
	"fi-values": {
		dataset: model.FIValues, name: "values.csv", separator: ";", quoted: true, key: []int{0, 1, 2},
		above: []string{"RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N " +
			"Aportantes;N Aportantes Institucionales;Agencia"},
		row: func(g *generator) []cell {
			return []cell{
				g.run("run", "RUN"), g.day("date", "Fecha", slashes), g.serie("Serie"),
				g.word("currency", "$$", "PROM", "EUR", "=USD"),
				g.chilean("book_value", "Valor Libro", 10, 6, false),
				optional(g.chilean("economic_value", "Valor Econ", 10, 6, true)),
				g.chilean("equity", "Patrimonio", 12, 4, true),
				optional(g.chilean("total_assets", "Activo Total", 12, 4, true)),
				g.people("contributors", "Aportantes"), optional(g.people("institutional", "Institucionales")),
				g.text("agency"),
			}
		},
	},
	"holdings-national": {
		dataset: model.Holdings, name: "nacional_202506.txt", separator: ";",
		above: []string{"Run Fondo;Nombre Fondo;FFM_6010100;FFM_6010211;FFM_6010212;FFM_6010300;FFM_6010400;" +
			"FFM_6010500;FFM_6010600;FFM_6010700;FFM_6010800;FFM_6010900;FFM_6011000;FFM_TIR_6011111;" +
			"FFM_PAR_6011111;FFM_REL_6011111;FFM_6011112;FFM_6011113;FFM_6011114;FFM_6011200;FFM_6011300;" +
			"FFM_6011400;FFM_6011511;FFM_6011512;FFM_6011513"},
		row: func(g *generator) []cell {
			cells := make([]cell, 25)
			cells[0], cells[1], cells[2] = g.run("run", "Run Fondo"), g.text(""), g.text("nemotecnico")
			cells[5], cells[6] = g.word("country", "CL", "US"), g.word("instrument", "ACC", "BB", "=1")
			cells[11] = g.plain("units", "FFM_6010900", 10, 6, true, true)
			cells[19] = g.plain("valuation_thousands", "FFM_6011200", 12, 4, true, true)
			cells[20] = g.word("currency", "$$", "PROM", "=1+1")
			cells[24] = g.plain("percent", "FFM_6011513", 3, 8, true, true)
			return cells
		},
	},
	"holdings-investment": {
		dataset: model.Holdings, name: "fi_cartera_202506.csv", separator: ";", quoted: true,
		above: []string{"run;market;nemotecnico;rut_emisor;emisor;pais;tipo_instrumento;valorizacion;pct_activo"},
		row: func(g *generator) []cell {
			return []cell{
				g.run("run", "run"), g.word("market", "N", "E", "M", "B", "O", "F"), g.text("nemotecnico"),
				{text: g.pick("", "99999999", "=1", "x")},
				g.text("issuer"), g.word("country", "CL", "US"), g.word("instrument", "ACC", "=1"),
				g.chilean("valuation_thousands", "valorizacion", 12, 4, true),
				g.chilean("percent", "pct_activo", 3, 8, true),
			}
		},
	},
	"tac-monthly": {
		dataset: model.TACMonthly, name: "tac.csv", separator: ";", quoted: true, key: []int{0, 1, 2, 5},
		above: []string{"COSTOS;=1+1", "", "Periodo;Administradora"},
		row: func(g *generator) []cell {
			return []cell{
				g.day("date", "periodo", func(y, m, d int) string {
					return fmt.Sprintf("%04d%02d%02d", y, m, d) + g.pick("", ".0", ",0", ".00")
				}),
				g.needed("manager"), g.needed("fund"), g.text("fund_type"), g.word("currency", "Pesos", "Dólar"),
				g.serie("serie"), g.text("features"),
				g.text("fixed_fee"), g.text("variable_fee"), g.text("operating_expenses"),
				optional(g.cost("fixed_percent", "tac_rem_fija")), optional(g.cost("variable_percent", "tac_rem_var")),
				optional(g.cost("expenses_percent", "tac_gastos_op")),
				g.cost("total_percent", "tac_total"), g.text("placement_terms"), g.text("placement_fee"),
				g.text("deferred_terms"), g.text("deferred_fee"),
			}
		},
	},
	"benchmarks": {
		dataset: model.Benchmarks, name: "benchmarks.csv", separator: ",", quoted: true, key: []int{0, 1},
		above: []string{"family_rar,symbol,index_name,instrument_name,native_currency,asset_class,active"},
		row: func(g *generator) []cell {
			return []cell{
				g.needed("family_rar"), g.symbol(), g.needed("index_name"), g.text("instrument_name"),
				g.listed("native_currency", "USD", "CLP"),
				g.word("asset_class", "equity", "=1"), g.yes(),
			}
		},
	},
	"benchmark-prices": {
		dataset: model.Benchmarks, name: "prices.csv", separator: ",", quoted: true, key: []int{0, 1},
		above: []string{"symbol,date,close"},
		row: func(g *generator) []cell {
			iso := func(y, m, d int) string { return fmt.Sprintf("%04d-%02d-%02d", y, m, d) }
			return []cell{g.symbol(), g.day("date", "date", iso), g.plain("close", "close", 9, 6, false, false)}
		},
	},
}

func slashes(year, month, day int) string { return fmt.Sprintf("%02d/%02d/%04d", day, month, year) }

// word writes one of some words, as it is read.
func (g *generator) word(name string, words ...string) cell {
	word := g.pick(words...)
	return cell{text: word, name: name, value: word}
}

// listed writes one of the words, of which a row needs one.
func (g *generator) listed(name string, words ...string) cell {
	if g.flawed() {
		return cell{text: g.pick("", "=1", words[0]+" ", strings.ToLower(words[0])), name: name, reason: name}
	}
	return g.word(name, words...)
}

func (g *generator) yes() cell {
	word := g.listed("active", "yes", "no")
	if word.text == "YES" || word.reason != "" && word.text == "yes" { // lower case is the right one
		word.text = "YES"
	}
	word.value = word.text == "yes"
	return word
}

func (g *generator) symbol() cell {
	if g.flawed() {
		return cell{text: g.pick("", "A:B", "A B", "+A", "@A", "Ñ", strings.Repeat("A", 41)), name: "symbol",
			reason: "symbol"}
	}
	return g.word("symbol", "SPY", "^GSPC", "=1/1", "-A", "EURUSD=X", strings.Repeat("A", 40))
}

// serie writes the name of a series.
func (g *generator) serie(column string) cell {
	if g.flawed() {
		return cell{text: g.pick(strings.Repeat("A", 41), strings.Repeat("x", 500), "A;B"), name: "serie",
			reason: column}
	}
	of := [][2]string{{"A", "A"}, {" b ", "B"}, {"", model.SoleSerie}, {"=1+1", "=1+1"}, {"ñu  2", "ÑU 2"},
		{"-A", "-A"}, {"única", "ÚNICA"}, {"<A>", "<A>"}}
	one := of[g.IntN(len(of))]
	return cell{text: one[0], name: "serie", value: one[1]}
}

// cost writes a rate of the monthly sheet, with either decimal sign.
func (g *generator) cost(name, column string) cell {
	if g.flawed() {
		return cell{text: g.pick("1.234,5", "1,2,3", "1 %", "=1+1", "+1", "12345678901", "1.2.3", "1,"), name: name,
			reason: column}
	}
	switch g.IntN(8) {
	case 0:
		return cell{text: g.pick("", "NA", "N/A", "-", "no tiene", "=NA"), name: name}
	case 1:
		return cell{text: "4.8e-05", name: name, value: "0.000048"}
	case 2:
		return cell{text: "1.3200000524520874", name: name, value: "1.32"}
	case 3:
		return cell{text: "-0,25", name: name, value: "-0.25"}
	}
	text, value := g.number(2, 6, g.pick(",", "."), "")
	return cell{text: text, name: name, value: value}
}

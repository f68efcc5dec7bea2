package drift

import "cuota/model"

// stakes says what depends on the shapes of a dataset's files.
type stakes struct {
	// fund and serie are the columns that name what a row is about.
	fund, serie string
	// figureColumns are the columns from which figures are computed. If one of them changes its
	// meaning, wrong figures would be published, so such a file waits for a person.
	figureColumns []string
	// mayBeEmpty are those of figureColumns that may be 0 or blank in every row of a file: fees on
	// gains, factors in a month without distributions. flows follow business days, so those
	// of a few days are not like those of other days.
	mayBeEmpty, flows []string
	// keys are columns that differ in each file: what a row is about, and names.
	keys []string
	// exact says that numbers are written as they were published. The numbers of other
	// datasets passed through binary floating point, and their decimals mean nothing.
	exact bool
	// daily says that a file has rows of each day that its name states.
	daily bool
}

// stakesOf is by dataset. The columns of datasets that it does not list are not compared; a renamed
// column of theirs puts the file in quarantine.
var stakesOf = map[model.Dataset]stakes{
	model.Cartola: {
		fund: "RUN_FM", serie: "SERIE", exact: true, daily: true,
		keys: []string{"RUN_ADM", "NOM_ADM", "RUN_FM", "FECHA_INF", "SERIE"},
		figureColumns: []string{
			"MONEDA", "CUOTAS_APORTADAS", "CUOTAS_RESCATADAS", "CUOTAS_EN_CIRCULACION", "VALOR_CUOTA",
			"PATRIMONIO_NETO",
			"NUM_PARTICIPES", "REM_FIJA", "REM_VARIABLE", "GASTOS_AFECTOS", "GASTOS_NO_AFECTOS", "FACTOR DE AJUSTE",
			"FACTOR DE REPARTO",
		},
		flows: []string{"CUOTAS_APORTADAS", "CUOTAS_RESCATADAS"},
		mayBeEmpty: []string{"CUOTAS_APORTADAS", "CUOTAS_RESCATADAS", "REM_VARIABLE", "GASTOS_AFECTOS",
			"GASTOS_NO_AFECTOS", "FACTOR DE AJUSTE", "FACTOR DE REPARTO"},
	},
	model.FIValues: {
		fund: "RUN", serie: "Serie", exact: true, daily: true, keys: []string{"RUN", "Fecha", "Serie"},
		figureColumns: []string{"Moneda", "Valor Libro", "Valor Económico", "Patrimonio Neto"},
	},
	model.TACComparator: {
		fund: "fo_run", serie: "fm_serie", keys: []string{"fo_run", "fm_serie", "fm_fecha_num", "nombre_fondo",
			"nombre_agf"},
		figureColumns: []string{"moneda_funcional", "clase_inversionista", "tac_sintetica"},
	},
	model.ReturnsComparator: {
		fund: "fo_run", serie: "fm_serie", keys: []string{"fo_run", "fm_serie", "fm_fecha", "nombre_fondo",
			"nombre_agf"},
		figureColumns: []string{"ind_rar_pond", "familia_estudios", "familia_rar", "clase_inversionista",
			"rent_nominal_1a", "rent_real_1a"},
	},
	model.TACMonthly: {
		keys: []string{"periodo", "administradora", "nombre_fondo", "serie", "cond_colocacion",
			"com_colocacion", "cond_diferida", "com_diferida"},
		figureColumns: []string{"moneda", "tac_rem_fija", "tac_rem_var", "tac_gastos_op", "tac_total"},
	},
	model.AAFM: {
		fund: "run", serie: "serie", keys: []string{"administradora", "run", "codigo_bloomberg", "fondo", "serie"},
		figureColumns: []string{"categoria_aafm"},
	},
	model.UF:    {keys: []string{"fecha"}, figureColumns: []string{"valor"}},
	model.Dolar: {keys: []string{"fecha"}, figureColumns: []string{"valor"}},
}

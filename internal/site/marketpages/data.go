package marketpages

import (
	"context"

	"golang.org/x/sync/errgroup"

	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/origin"
	"cuota/query/summary"
)

// dataPage tells how new and how complete the data is, and where it comes from.
var dataPage = page{
	path: "/datos", template: "data", minutely: true,
	load: func(ctx context.Context, v *visit) (any, error) {
		var data origin.Data
		var of *summary.Summary
		loading, ctx := errgroup.WithContext(ctx)
		loading.Go(func() (err error) { data, err = find(ctx, v, origin.OfBatch); return err })
		loading.Go(func() (err error) { of, err = findKept(ctx, v, summary.OfDay); return err })
		if err := loading.Wait(); err != nil {
			return nil, err
		}
		return dataView{
			Batch: v.batchFacts(data), Datasets: v.datasetTable(data), Rejections: v.rejectionTable(data),
			Findings: v.findingTable(data), Days: v.incompleteTable(data),
			MoreDays: max(0, int(data.Incomplete.Total)-len(data.Incomplete.Days)), Lacks: v.lackTable(data, of),
			Batches: v.batchTable(data),
		}, nil
	},
}

type dataView struct {
	Batch                                                []fact
	Datasets, Rejections, Findings, Days, Lacks, Batches table
	MoreDays                                             int
}

// regulator is how the pages name the regulator.
var regulator = locale.Phrase{"CMF", "CMF"}

// curated says that a file is kept by hand from documents.
var curated = locale.Phrase{"reunido a mano desde documentos", "gathered by hand from documents"}

// datasets says what each dataset has and who publishes it.
var datasets = map[string]struct{ name, source locale.Phrase }{
	"cartola": {locale.Phrase{"Cartola diaria: valores cuota, patrimonio, partícipes, aportes y rescates",
		"Daily cartola: unit prices, equity, shareholders, contributions and redemptions"}, regulator},
	"register": {locale.Phrase{"Registro de fondos mutuos", "Register of mutual funds"}, regulator},
	"tac-comparator": {locale.Phrase{"Comparador de costos: TAC sintética y clase de inversionista",
		"Comparator of costs: synthetic TAC and class of investor"}, regulator},
	"returns-comparator": {locale.Phrase{"Comparador de rentabilidades: familias, esferas y rentabilidades oficiales",
		"Comparator of returns: families, spheres and official returns"}, regulator},
	"aafm": {locale.Phrase{"Resumen diario: categorías", "Daily sheet: categories"},
		locale.Phrase{"AAFM, la asociación de administradoras", "AAFM, the association of managers"}},
	"uf": {locale.Phrase{"Unidad de fomento", "Unidad de fomento (inflation-indexed unit)"},
		locale.Phrase{"Banco Central de Chile", "Central Bank of Chile"}},
	"dolar": {locale.Phrase{"Dólar observado", "Official dollar rate"},
		locale.Phrase{"Banco Central de Chile", "Central Bank of Chile"}},
	"fi-register": {locale.Phrase{"Registro de fondos de inversión", "Register of investment funds"}, regulator},
	"tac-monthly": {locale.Phrase{"Planilla mensual de costos", "Monthly sheet of costs"}, regulator},
	"holdings":    {locale.Phrase{"Carteras de inversiones", "Portfolios"}, regulator},
	"fi-values": {locale.Phrase{"Valores libro de fondos de inversión", "Book values of investment funds"},
		regulator},
	"benchmarks": {locale.Phrase{"Índices de referencia y sus precios", "Benchmarks and their prices"},
		curated},
	"article107": {locale.Phrase{"Lo que los reglamentos dicen del artículo 107",
		"What regulations say about article 107"}, curated},
	"events": {locale.Phrase{"Factores, canjes, cambios de nombre y quiebres",
		"Factors, exchanges, renames and breaks"}, curated},
	"vehicles": {locale.Phrase{"Fondos que se transan en bolsa", "Exchange-traded funds"}, curated},
}

func (v *visit) batchFacts(data origin.Data) []fact {
	b, none := data.Batch, v.Say("ningún día está completo todavía", "no day is complete yet")
	facts := []fact{
		{v.Say("Lote", "Batch"), word(b.ID)},
		{v.Say("Último día completo", "Last complete day"), v.day(b.AsOf, none)},
		{v.Say("Último día con algún valor cuota", "Last day with any unit price"),
			v.day(b.LastQuota, v.Say("no hay valores cuota", "there are no unit prices"))},
		{v.Say("Calculado", "Computed"), v.moment(b.CalculatedAt)},
		{v.Say("Series vigentes", "Current series"), v.count(int(b.Series))},
		{v.Say("Datos distintos de los archivos", "Distinct facts of the files"), v.count(int(b.Records))},
		{v.Say("Huella de los archivos", "Fingerprint of the files"), word(b.Fingerprint)},
	}
	if b.Rules != "" {
		facts = append(facts, fact{v.Say("Huella de las reglas de cálculo", "Fingerprint of the rules of computation"),
			word(b.Rules)})
	}
	return append(facts, fact{v.Say("Método de las rentabilidades", "Method of the returns"), word(b.MethodVersion)})
}

func (v *visit) datasetTable(data origin.Data) table {
	t := table{
		ID: "conjuntos", Caption: v.Say("Conjuntos de datos del lote", "Datasets of the batch"),
		Empty: v.Say("El lote no tiene archivos.", "The batch has no files."),
		Columns: []column{
			{Title: v.Say("Conjunto", "Dataset")}, {Title: v.Say("Fuente", "Source")},
			{Title: v.Say("Primer día", "First day"),
				Hint: v.Say("Del que hablan los archivos", "That the files speak of")},
			{Title: v.Say("Último día", "Last day")},
			{Title: v.Say("Publicado", "Published"),
				Hint: v.Say("El archivo más reciente; si la fuente no dice cuándo, cuándo se vio por primera vez",
					"The newest file; if the source does not tell when, when it was first seen")},
			{Title: v.Say("Se espera", "Expected"),
				Hint: v.Say("Hasta qué día deben estar aquí los próximos datos",
					"The day by which the next data should be here")},
			{Title: v.Say("Archivos", "Files"), Numeric: true}, {Title: v.Say("Filas", "Rows"), Numeric: true},
			{Title: v.Say("Rechazadas", "Rejected"), Numeric: true},
		},
	}
	noDay := v.Say("sus archivos no hablan de días", "its files speak of no days")
	noDue := v.Say("no se espera nada a plazo fijo", "nothing is expected by a fixed day")
	for _, d := range data.Datasets {
		name, source := word(d.Dataset), missing(v.Say("no se conoce la fuente", "the source is unknown"))
		if known, there := datasets[d.Dataset]; there {
			name, source = word(known.name.In(v.Lang)), word(known.source.In(v.Lang))
			name.Sub = d.Dataset
		}
		due := v.day(d.DueOn, noDue)
		if d.Late {
			due.Sub = v.Say("atrasado", "late")
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			name, source, v.day(d.First, noDay), v.day(d.Last, noDay), v.moment(d.PublishedAt), due,
			v.count(int(d.Files)), v.count(int(d.Rows)), v.count(int(d.Rejected)),
		}})
	}
	t.fold(v)
	return t
}

// longestReason is how many characters of the reason of a rejection are shown.
const longestReason = 300

func (v *visit) rejectionTable(data origin.Data) table {
	t := table{
		ID: "rechazos", Caption: v.Say("Archivos con filas rechazadas que nada ha corregido",
			"Files with rejected rows that nothing has corrected"),
		Empty: v.Say("Ninguna fila rechazada está sin corregir.", "No rejected row is left uncorrected."),
		Columns: []column{
			{Title: v.Say("Archivo", "File")}, {Title: v.Say("Sin corregir", "Uncorrected"), Numeric: true},
			{Title: v.Say("Rechazadas", "Rejected"), Numeric: true},
			{Title: v.Say("Primera línea", "First line"), Numeric: true},
			{Title: v.Say("Motivo de la primera", "Reason of the first")}, {Title: v.Say("Llegó", "Arrived")},
		},
	}
	for _, r := range data.Rejections {
		file := word(r.File)
		file.Sub, file.Breaks = r.Dataset, true
		t.Rows = append(t.Rows, row{Cells: []cell{
			file, v.count(int(r.Open)), v.count(int(r.All)), v.count(int(r.Line)),
			{Text: locale.Bounded(r.Reason, longestReason), Class: "reason", English: true}, v.moment(r.Arrived),
		}})
	}
	return t
}

// findings says in what a file differs from the files before it.
var findings = map[model.FindingKind]locale.Phrase{
	model.FindingEndsEarly:  {"termina antes de lo que dice su nombre", "ends before the day in its name"},
	model.FindingBeginsLate: {"comienza después de lo que dice su nombre", "begins after the day in its name"},
	model.FindingOtherDays:  {"tiene días fuera de los de su nombre", "has days outside those in its name"},
	model.FindingRenamed: {"el encabezado llama de otra manera a la columna",
		"the header calls the column otherwise"},
	model.FindingFewerSeries: {"muchas menos series", "far fewer series"},
	model.FindingFewerRows:   {"muchas menos filas por día", "far fewer rows a day"},
	model.FindingNewWord:     {"un valor nuevo", "a new value"},
	model.FindingWordGone:    {"un valor frecuente ya no aparece", "a frequent value is gone"},
	model.FindingManyValues: {"muchos valores distintos donde había pocos",
		"many different values where there were few"},
	model.FindingText:         {"textos donde había solo números", "text where there were only numbers"},
	model.FindingNegative:     {"números negativos donde no los había", "negative numbers where there were none"},
	model.FindingEmptied:      {"la columna quedó vacía o en cero", "the column is blank or 0 now"},
	model.FindingFilled:       {"una columna vacía tiene valores", "a column that was blank has values"},
	model.FindingMoreDecimals: {"más decimales que antes", "more decimals than before"},
	model.FindingFewerDecimals: {"menos decimales: los números fueron redondeados",
		"fewer decimals: the numbers were rounded"},
	model.FindingDecimalMark: {"otro signo decimal", "another decimal mark"},
	model.FindingThousandfold: {"mil veces o una milésima del último valor",
		"a thousand times or a thousandth of the last value"},
	model.FindingUnknownValue: {"un valor desconocido, del que no depende ningún número (y en cuántas filas)",
		"an unknown value, on which no number depends (and in how many rows)"},
	model.FindingMagnitude: {"números de otro tamaño: dígitos en promedio",
		"numbers of another size: digits on average"},
}

// fileStates says what became of a file.
var fileStates = map[model.FileState]locale.Phrase{
	model.FileTaken: {"publicado", "published"},
	model.FileQuarantined: {"en cuarentena: nada de él se publica hasta que una persona lo acepte",
		"in quarantine: nothing of it is published until a person accepts it"},
	model.FileAccepted: {"publicado: una persona lo aceptó", "published: a person accepted it"},
	model.FileDeclined: {"no publicado: una persona lo rechazó", "not published: a person refused it"},
}

func (v *visit) findingTable(data origin.Data) table {
	t := table{
		ID: "formas", Caption: v.Say("Archivos distintos de los anteriores",
			"Files that differ from those before them"),
		Empty: v.Say("Ningún archivo es distinto de los anteriores.", "No file differs from those before it."),
		Columns: []column{
			{Title: v.Say("Archivo", "File")}, {Title: v.Say("Estado", "State")},
			{Title: v.Say("Qué cambió", "What changed")}, {Title: v.Say("Columna", "Column")},
			{Title: v.Say("Antes", "Before")}, {Title: v.Say("Ahora", "Now")},
			{Title: v.Say("Primera línea", "First line"), Numeric: true}, {Title: v.Say("Visto", "Seen")},
		},
	}
	whole := v.Say("es del archivo entero", "it is of the file as a whole")
	said := func(text string) cell {
		if text == "" {
			return missing(v.Say("nada", "nothing"))
		}
		if day, err := model.ParseDate(text); err == nil {
			return v.day(&day, "")
		}
		return word(locale.Bounded(text, longestReason))
	}
	for _, f := range data.Findings {
		file, state, kind := word(f.File), word(f.State), word(f.Kind)
		file.Sub, file.Breaks = f.Dataset, true
		if known, there := fileStates[model.FileState(f.State)]; there {
			state = word(known.In(v.Lang))
		}
		if known, there := findings[model.FindingKind(f.Kind)]; there {
			kind = word(known.In(v.Lang))
		}
		kind.Class = "words"
		column, line := missing(whole), missing(whole)
		if f.Column != "" {
			column = word(f.Column)
		}
		if f.Line > 0 {
			line = v.count(int(f.Line))
		}
		t.Rows = append(t.Rows, row{Cells: []cell{file, state, kind, column, said(f.Before), said(f.Now), line,
			v.moment(f.Judged)}})
	}
	t.fold(v)
	return t
}

func (v *visit) incompleteTable(data origin.Data) table {
	t := table{
		ID: "dias", Caption: v.Say("Días incompletos, el más reciente primero", "Incomplete days, the newest first"),
		Empty: v.Say("Todos los días están completos.", "All days are complete."),
		Columns: []column{
			{Title: v.Say("Día", "Day")}, {Title: v.Say("Qué pasa", "What is wrong")},
			{Title: v.Say("Series presentes", "Series present"), Numeric: true},
			{Title: v.Say("Series esperadas", "Expected series"), Numeric: true,
				Hint: v.Say("Series con una fila desde el último día completo que no han informado su término",
					"Series with a row since the last complete day that have stated no end")},
			{Title: v.Say("Rechazadas", "Rejected"), Numeric: true},
		},
	}
	for _, d := range data.Incomplete.Days {
		quoted := d.Present
		if d.Rejected > 1 {
			quoted -= min(quoted, d.Rejected)
		}
		what := v.Say("faltan series", "series are missing")
		switch {
		case d.Present == 0 && d.Prior == 0:
			what = v.Say("sin ninguna fila", "without any row")
		case !d.HasData:
			what = v.Say("menos de la mitad del mercado", "less than half of the market")
		case 100*quoted >= 98*d.Prior: // enough of them: the others are too large (RULES 1)
			what = v.Say("las que faltan tienen más del 1 % del patrimonio", "those missing have more than 1% of the equity")
		}
		if d.HasRate {
			what += v.Say(", día bancario", ", banking day")
		}
		t.Rows = append(t.Rows, row{Cells: []cell{v.day(&d.Date, ""), word(what), v.count(int(d.Present)),
			v.count(int(d.Prior)), v.count(int(d.Rejected))}})
	}
	return t
}

func (v *visit) lackTable(data origin.Data, of *summary.Summary) table {
	t := table{
		ID: "faltas", Caption: v.Say("Series vigentes de las que falta algo",
			"Current series of which something is missing"),
		Empty: v.Say("No hay series vigentes.", "There are no current series."),
		Columns: []column{
			{Title: v.Say("Qué falta", "What is missing")}, {Title: v.Say("Series", "Series"), Numeric: true},
			{Title: v.Say("Parte", "Share"), Numeric: true,
				Hint: v.Say("De las series vigentes", "Of the current series")}, {Title: v.Say("Por qué", "Why")},
		},
	}
	if data.Lacks.Series == 0 {
		return t
	}
	covered := v.Lang.Share(of.Meta.Classification.Coverage, 1)
	l := data.Lacks
	for _, lack := range []struct {
		what locale.Phrase
		n    uint64
		why  string
	}{
		{locale.Phrase{"Familia", "Family"}, l.Family,
			v.Say("el comparador de la CMF no la tiene; las que tienen familia son el ",
				"the comparator of the CMF does not have it; those with a family are ") + covered +
				v.Say(" del patrimonio", " of the equity")},
		{locale.Phrase{"Categoría", "Category"}, l.Category,
			v.Say("ni el comparador ni el resumen diario la clasifican",
				"neither the comparator nor the daily sheet classifies it")},
		{locale.Phrase{"Clase de inversionista", "Class of investor"}, l.InvestorClass,
			v.Say("ningún comparador la informa", "no comparator states it")},
		{locale.Phrase{"TAC", "TAC"}, l.TAC, v.Say("no la informa ningún archivo, ni hay 15 días de costos en un mes",
			"no file states it, nor are there 15 days of costs in a month")},
		{locale.Phrase{"Moneda", "Currency"}, l.Currency,
			v.Say("la cartola la nombra de una manera desconocida", "the cartola names it in an unknown way")},
		{locale.Phrase{"Rentabilidad de un año", "Return of one year"}, l.OneYear,
			v.Say("falta un valor cuota al inicio o al final, o hay un quiebre",
				"a unit price at the start or the end is missing, or there is a break")},
		{locale.Phrase{"Esferas", "Spheres"}, l.Spheres, v.Say("la CMF no la califica", "the CMF does not rate it")},
	} {
		part := float64(lack.n) / float64(l.Series)
		if lack.n == 0 {
			lack.why = ""
		}
		t.Rows = append(t.Rows, row{Cells: []cell{word(lack.what.In(v.Lang)), v.count(int(lack.n)),
			v.fraction(&part, 1, ""), word(lack.why)}})
	}
	return t
}

func (v *visit) batchTable(data origin.Data) table {
	t := table{
		ID: "lotes", Caption: v.Say("Últimos lotes publicados", "Last published batches"),
		Empty: v.Say("Ninguno.", "None."),
		Columns: []column{{Title: v.Say("Lote", "Batch")}, {Title: v.Say("Publicado", "Published")},
			{Title: v.Say("Último día completo", "Last complete day")}, {Title: v.Say("Se puede leer", "Readable")}},
	}
	for _, b := range data.Batches {
		readable := word(v.Say("sí", "yes"))
		if !b.Readable {
			readable = word(v.Say("no, ya no se guarda", "no, it is not kept any more"))
		}
		t.Rows = append(t.Rows, row{Cells: []cell{word(b.ID), v.moment(b.PublishedAt),
			v.day(b.AsOf, v.Say("ningún día estaba completo", "no day was complete")), readable}})
	}
	return t
}

package explorer

import (
	"context"

	"golang.org/x/sync/errgroup"

	"cuota/internal/locale"
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
			Batch: v.batchFacts(data), Datasets: v.datasetTable(data), Rejections: v.rejectionTable(data), Findings: v.findingTable(data), Days: v.incompleteTable(data),
			MoreDays: max(0, int(data.Incomplete.Total)-len(data.Incomplete.Days)), Lacks: v.lackTable(data, of), Batches: v.batchTable(data),
		}, nil
	},
}

type dataView struct {
	Batch                                                []fact
	Datasets, Rejections, Findings, Days, Lacks, Batches table
	MoreDays                                             int
}

// regulator is how the pages name the regulator.
var regulator = phrase{"CMF", "CMF"}

// curated says that a file is kept by hand from documents.
var curated = phrase{"reunido a mano desde documentos", "gathered by hand from documents"}

// datasets says what each dataset has and who publishes it.
var datasets = map[string]struct{ name, source phrase }{
	"cartola":            {phrase{"Cartola diaria: valores cuota, patrimonio, partícipes, aportes y rescates", "Daily cartola: quotas, equity, shareholders, contributions and redemptions"}, regulator},
	"register":           {phrase{"Registro de fondos mutuos", "Register of mutual funds"}, regulator},
	"tac-comparator":     {phrase{"Comparador de costos: TAC sintética y clase de inversionista", "Comparator of costs: synthetic TAC and class of investor"}, regulator},
	"returns-comparator": {phrase{"Comparador de rentabilidades: familias, esferas y rentabilidades oficiales", "Comparator of returns: families, spheres and official returns"}, regulator},
	"aafm":               {phrase{"Resumen diario: categorías", "Daily sheet: categories"}, phrase{"AAFM, la asociación de administradoras", "AAFM, the association of managers"}},
	"uf":                 {phrase{"Unidad de fomento", "Unidad de fomento (inflation-indexed unit)"}, phrase{"Banco Central de Chile", "Central Bank of Chile"}},
	"dolar":              {phrase{"Dólar observado", "Official dollar rate"}, phrase{"Banco Central de Chile", "Central Bank of Chile"}},
	"fi-register":        {phrase{"Registro de fondos de inversión", "Register of investment funds"}, regulator},
	"tac-monthly":        {phrase{"Planilla mensual de costos", "Monthly sheet of costs"}, regulator},
	"holdings":           {phrase{"Carteras de inversiones", "Portfolios"}, regulator},
	"fi-values":          {phrase{"Valores libro de fondos de inversión", "Book values of investment funds"}, regulator},
	"benchmarks":         {phrase{"Índices de referencia y sus precios", "Benchmarks and their prices"}, curated},
	"article107":         {phrase{"Lo que los reglamentos dicen del artículo 107", "What regulations say about article 107"}, curated},
	"events":             {phrase{"Factores, canjes, cambios de nombre y quiebres", "Factors, exchanges, renames and breaks"}, curated},
	"vehicles":           {phrase{"Fondos que se transan en bolsa", "Exchange-traded funds"}, curated},
}

func (v *visit) batchFacts(data origin.Data) []fact {
	b, none := data.Batch, v.say("ningún día está completo todavía", "no day is complete yet")
	facts := []fact{
		{v.say("Lote", "Batch"), word(b.ID)},
		{v.say("Último día completo", "Last complete day"), v.day(b.AsOf, none)},
		{v.say("Último día con algún valor cuota", "Last day with any quota"), v.day(b.LastQuota, v.say("no hay valores cuota", "there are no quotas"))},
		{v.say("Calculado", "Computed"), v.moment(b.CalculatedAt)},
		{v.say("Series vigentes", "Current series"), v.count(int(b.Series))},
		{v.say("Filas de los archivos", "Rows of the files"), v.count(int(b.Records))},
		{v.say("Huella de los archivos", "Fingerprint of the files"), word(b.Fingerprint)},
	}
	if b.Rules != "" {
		facts = append(facts, fact{v.say("Huella de las reglas de cálculo", "Fingerprint of the rules of computation"), word(b.Rules)})
	}
	return append(facts, fact{v.say("Método de las rentabilidades", "Method of the returns"), word(b.MethodVersion)})
}

func (v *visit) datasetTable(data origin.Data) table {
	t := table{
		ID: "conjuntos", Caption: v.say("Conjuntos de datos del lote", "Datasets of the batch"), Empty: v.say("El lote no tiene archivos.", "The batch has no files."),
		Columns: []column{
			{Title: v.say("Conjunto", "Dataset")}, {Title: v.say("Fuente", "Source")}, {Title: v.say("Último día", "Last day"), Hint: v.say("Del que hablan los archivos", "That the files speak of")},
			{Title: v.say("Primer día", "First day")}, {Title: v.say("Publicado", "Published"), Hint: v.say("El archivo más reciente; si la fuente no dice cuándo, cuándo se vio por primera vez", "The newest file; if the source does not tell when, when it was first seen")},
			{Title: v.say("Se espera", "Expected"), Hint: v.say("Hasta qué día deben estar aquí los próximos datos", "The day by which the next data should be here")},
			{Title: v.say("Archivos", "Files"), Numeric: true}, {Title: v.say("Filas", "Rows"), Numeric: true}, {Title: v.say("Rechazadas", "Rejected"), Numeric: true},
		},
	}
	noDay := v.say("sus archivos no hablan de días", "its files speak of no days")
	noDue := v.say("no se espera nada a plazo fijo", "nothing is expected by a fixed day")
	for _, d := range data.Datasets {
		name, source := word(d.Dataset), missing(v.say("no se conoce la fuente", "the source is unknown"))
		if known, there := datasets[d.Dataset]; there {
			name, source = word(known.name.in(v.Lang)), word(known.source.in(v.Lang))
			name.Sub = d.Dataset
		}
		due := v.day(d.DueOn, noDue)
		if d.Late {
			due.Sub = v.say("atrasado", "late")
		}
		t.Rows = append(t.Rows, row{Cells: []cell{
			name, source, v.day(d.Last, noDay), v.day(d.First, noDay), v.moment(d.PublishedAt), due, v.count(int(d.Files)), v.count(int(d.Rows)), v.count(int(d.Rejected)),
		}})
	}
	return t
}

// longestReason is how many characters of the reason of a rejection are shown.
const longestReason = 300

func (v *visit) rejectionTable(data origin.Data) table {
	t := table{
		ID: "rechazos", Caption: v.say("Archivos con filas rechazadas que nada ha corregido", "Files with rejected rows that nothing has corrected"),
		Empty: v.say("Ninguna fila rechazada está sin corregir.", "No rejected row is left uncorrected."),
		Columns: []column{
			{Title: v.say("Archivo", "File")}, {Title: v.say("Sin corregir", "Uncorrected"), Numeric: true}, {Title: v.say("Rechazadas", "Rejected"), Numeric: true},
			{Title: v.say("Primera línea", "First line"), Numeric: true}, {Title: v.say("Motivo de la primera", "Reason of the first")}, {Title: v.say("Llegó", "Arrived")},
		},
	}
	for _, r := range data.Rejections {
		file := word(r.File)
		file.Sub = r.Dataset
		t.Rows = append(t.Rows, row{Cells: []cell{
			file, v.count(int(r.Open)), v.count(int(r.All)), v.count(int(r.Line)), {Text: locale.Bounded(r.Reason, longestReason), Class: "reason", English: true}, v.moment(r.Arrived),
		}})
	}
	return t
}

// findings says in what a file differs from the files before it.
var findings = map[model.FindingKind]phrase{
	model.FindingEndsEarly:     {"termina antes de lo que dice su nombre", "ends before the day in its name"},
	model.FindingBeginsLate:    {"comienza después de lo que dice su nombre", "begins after the day in its name"},
	model.FindingOtherDays:     {"tiene días fuera de los de su nombre", "has days outside those in its name"},
	model.FindingRenamed:       {"el encabezado llama de otra manera a la columna", "the header calls the column otherwise"},
	model.FindingFewerSeries:   {"muchas menos series", "far fewer series"},
	model.FindingFewerRows:     {"muchas menos filas por día", "far fewer rows a day"},
	model.FindingNewWord:       {"una palabra nueva", "a new word"},
	model.FindingWordGone:      {"una palabra frecuente ya no aparece", "a frequent word is gone"},
	model.FindingManyValues:    {"muchos valores donde había pocas palabras", "many values where few words were"},
	model.FindingText:          {"textos donde había solo números", "texts where only numbers were"},
	model.FindingNegative:      {"números negativos donde no los había", "negative numbers where none were"},
	model.FindingEmptied:       {"la columna quedó vacía o en cero", "the column is blank or 0 now"},
	model.FindingFilled:        {"una columna vacía tiene valores", "a column that was blank has values"},
	model.FindingMoreDecimals:  {"más decimales que antes", "more decimals than before"},
	model.FindingFewerDecimals: {"menos decimales: los números fueron redondeados", "fewer decimals: the numbers were rounded"},
	model.FindingDecimalMark:   {"otro signo decimal", "another decimal mark"},
	model.FindingThousandfold:  {"mil veces o una milésima del último valor", "a thousand times or a thousandth of the last value"},
	model.FindingUnknownValue:  {"un valor desconocido, del que no depende ningún número (y en cuántas filas)", "an unknown value, on which no number depends (and in how many rows)"},
	model.FindingMagnitude:     {"números de otro tamaño: dígitos en promedio", "numbers of another size: digits on average"},
}

// fileStates says what became of a file.
var fileStates = map[model.FileState]phrase{
	model.FileTaken:       {"publicado", "published"},
	model.FileQuarantined: {"en cuarentena: nada de él se publica hasta que una persona lo acepte", "in quarantine: nothing of it is published until a person accepts it"},
	model.FileAccepted:    {"publicado: una persona lo aceptó", "published: a person accepted it"},
	model.FileDeclined:    {"no publicado: una persona lo rechazó", "not published: a person refused it"},
}

func (v *visit) findingTable(data origin.Data) table {
	t := table{
		ID: "formas", Caption: v.say("Archivos distintos de los anteriores", "Files that differ from those before them"),
		Empty: v.say("Ningún archivo es distinto de los anteriores.", "No file differs from those before it."),
		Columns: []column{
			{Title: v.say("Archivo", "File")}, {Title: v.say("Estado", "State")}, {Title: v.say("Qué cambió", "What changed")}, {Title: v.say("Columna", "Column")},
			{Title: v.say("Antes", "Before")}, {Title: v.say("Ahora", "Now")}, {Title: v.say("Primera línea", "First line"), Numeric: true}, {Title: v.say("Visto", "Seen")},
		},
	}
	whole := v.say("es del archivo entero", "it is of the file as a whole")
	said := func(text string) cell {
		if text == "" {
			return missing(v.say("nada", "nothing"))
		}
		return word(locale.Bounded(text, longestReason))
	}
	for _, f := range data.Findings {
		file, state, kind := word(f.File), word(f.State), word(f.Kind)
		file.Sub = f.Dataset
		if known, there := fileStates[model.FileState(f.State)]; there {
			state = word(known.in(v.Lang))
		}
		if known, there := findings[model.FindingKind(f.Kind)]; there {
			kind = word(known.in(v.Lang))
		}
		column, line := missing(whole), missing(whole)
		if f.Column != "" {
			column = word(f.Column)
		}
		if f.Line > 0 {
			line = v.count(int(f.Line))
		}
		t.Rows = append(t.Rows, row{Cells: []cell{file, state, kind, column, said(f.Before), said(f.Now), line, v.moment(f.Judged)}})
	}
	return t
}

func (v *visit) incompleteTable(data origin.Data) table {
	t := table{
		ID: "dias", Caption: v.say("Días incompletos, el más reciente primero", "Incomplete days, the newest first"), Empty: v.say("Todos los días están completos.", "All days are complete."),
		Columns: []column{
			{Title: v.say("Día", "Day")}, {Title: v.say("Qué pasa", "What is wrong")},
			{Title: v.say("Series presentes", "Series present"), Numeric: true}, {Title: v.say("Series esperadas", "Expected series"), Numeric: true, Hint: v.say("Series con una fila desde el último día completo que no han informado su término", "Series with a row since the last complete day that have stated no end")},
			{Title: v.say("Rechazadas", "Rejected"), Numeric: true},
		},
	}
	for _, d := range data.Incomplete.Days {
		what := v.say("faltan series", "series are missing")
		switch {
		case d.Present == 0 && d.Prior == 0:
			what = v.say("sin ninguna fila", "without any row")
		case !d.HasData:
			what = v.say("menos de la mitad del mercado", "less than half of the market")
		}
		if d.HasRate {
			what += v.say(", día bancario", ", banking day")
		}
		t.Rows = append(t.Rows, row{Cells: []cell{v.day(&d.Date, ""), word(what), v.count(int(d.Present)), v.count(int(d.Prior)), v.count(int(d.Rejected))}})
	}
	return t
}

func (v *visit) lackTable(data origin.Data, of *summary.Summary) table {
	t := table{
		ID: "faltas", Caption: v.say("Series vigentes de las que falta algo", "Current series of which something is missing"), Empty: v.say("No hay series vigentes.", "There are no current series."),
		Columns: []column{
			{Title: v.say("Qué falta", "What is missing")}, {Title: v.say("Series", "Series"), Numeric: true},
			{Title: v.say("Parte", "Share"), Numeric: true, Hint: v.say("De las series vigentes", "Of the current series")}, {Title: v.say("Por qué", "Why")},
		},
	}
	if data.Lacks.Series == 0 {
		return t
	}
	covered := v.Lang.Share(of.Meta.Classification.Coverage, 1)
	l := data.Lacks
	for _, lack := range []struct {
		what phrase
		n    uint64
		why  string
	}{
		{phrase{"Familia", "Family"}, l.Family, v.say("el comparador de la CMF no la tiene; las que tienen familia son el ", "the comparator of the CMF does not have it; those with a family are ") + covered + v.say(" del patrimonio", " of the equity")},
		{phrase{"Categoría", "Category"}, l.Category, v.say("ni el comparador ni el resumen diario la clasifican", "neither the comparator nor the daily sheet classifies it")},
		{phrase{"Clase de inversionista", "Class of investor"}, l.InvestorClass, v.say("ningún comparador la informa", "no comparator states it")},
		{phrase{"TAC", "TAC"}, l.TAC, v.say("no la informa ningún archivo, ni hay 15 días de costos en un mes", "no file states it, nor are there 15 days of costs in a month")},
		{phrase{"Moneda conocida", "Known currency"}, l.Currency, v.say("la cartola la nombra de una manera desconocida", "the cartola names it in an unknown way")},
		{phrase{"Rentabilidad de un año", "Return of one year"}, l.OneYear, v.say("falta un valor cuota al inicio o al final, o hay un quiebre", "a quota at the start or the end is missing, or there is a break")},
		{phrase{"Esferas", "Spheres"}, l.Spheres, v.say("la CMF no la califica", "the CMF does not rate it")},
	} {
		part := float64(lack.n) / float64(l.Series)
		t.Rows = append(t.Rows, row{Cells: []cell{word(lack.what.in(v.Lang)), v.count(int(lack.n)), v.fraction(&part, 1, ""), word(lack.why)}})
	}
	return t
}

func (v *visit) batchTable(data origin.Data) table {
	t := table{
		ID: "lotes", Caption: v.say("Últimos lotes publicados", "Last published batches"), Empty: v.say("Ninguno.", "None."),
		Columns: []column{{Title: v.say("Lote", "Batch")}, {Title: v.say("Publicado", "Published")}, {Title: v.say("Último día completo", "Last complete day")}, {Title: v.say("Se puede leer", "Readable")}},
	}
	for _, b := range data.Batches {
		readable := word(v.say("sí", "yes"))
		if !b.Readable {
			readable = word(v.say("no, ya no se guarda", "no, it is not kept any more"))
		}
		t.Rows = append(t.Rows, row{Cells: []cell{word(b.ID), v.moment(b.PublishedAt), v.day(b.AsOf, v.say("ningún día estaba completo", "no day was complete")), readable}})
	}
	return t
}

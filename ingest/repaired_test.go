package ingest

import (
	"testing"

	"cuota/model"
)

// A name that was saved twice would be that of another manager, family or issuer.
func TestNamesThatWereSavedTwiceAreRepairedInEveryFileOfNames(t *testing.T) {
	fund := events[model.InvestmentFund](t, model.FIRegister, "fi.csv",
		"run,nombre,administradora,tipo\n9278,DEPÃ“SITO FI,GESTORA S.A.,FIRES\n")[0]
	if fund.Name != "DEPÓSITO FI" {
		t.Errorf("reads %+v", fund)
	}
	listed := events[model.Benchmark](t, model.Benchmarks, "b.csv",
		"family_rar,symbol,index_name,instrument_name,native_currency,asset_class,active\nRenta "+
			"Ã±uÃ±oa,SPY,Ã\u008dndice,MÃ¡s,USD,,yes\n")[0]
	if listed.FamilyRAR != "Renta ñuñoa" || listed.IndexName != "Índice" || listed.InstrumentName != "Más" {
		t.Errorf("reads %+v", listed)
	}
	held := events[model.Holding](t, model.Holdings, "portfolio_202506.csv",
		"run;market;nemotecnico;rut_emisor;emisor;pais;tipo_instrumento;valorizacion;pct_activo\n9278;N;MÃ¡s;;CompaÃ±Ã\u00ada;CL;ACC;1,5;2,5\n")[0]
	if held.Nemotecnico != "Más" || held.Issuer != "Compañía" {
		t.Errorf("reads %+v", held)
	}
	value := events[model.InvestmentValue](t, model.FIValues, "v.csv",
		"RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;"+
			"Activo Total;N Aportantes;N Aportantes Institucionales;Agencia\n9278;30/06/2025;A;$$;1,5;;;;;;uÃ±a\n")[0]
	if value.Agency != "uña" {
		t.Errorf("reads %+v", value)
	}
}

-- A return in a valuation, from the multiple in the series' currency: as it is
-- for accounting, in pesos for clp, deflated for real_uf (RULES 1). The dólar
-- counts for dollars only.
CREATE OR REPLACE FUNCTION cuota_valued AS (valuation, multiple, years, in_dollars, fx_start, fx_end, uf_start, uf_end) ->
    multiIf(
        valuation = 'accounting',
            cuota_annual(multiple, years),
        valuation = 'clp',
            cuota_annual(if(in_dollars, multiple * toFloat64(fx_end) / toFloat64(fx_start), multiple), years),
        cuota_real(if(in_dollars, multiple * toFloat64(fx_end) / toFloat64(fx_start), multiple),
                   toFloat64(uf_start), toFloat64(uf_end), years))

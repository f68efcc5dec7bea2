-- A real return from the multiple in pesos over a window and the UF at both of
-- its ends: (1 + nominal) / (UF_E / UF_S)^(1/N) - 1, the regulator's own formula
-- (RULES 1). The whole multiple is deflated first and annualised then.
CREATE OR REPLACE FUNCTION cuota_real AS (multiple, uf_start, uf_end, years) ->
    cuota_annual(multiple / (uf_end / uf_start), years)

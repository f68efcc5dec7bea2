-- The currency words of the API for those of the sources (RULES 6): $$ is
-- pesos, PROM is dollars, anything else stays as written and is unknown.
CREATE OR REPLACE FUNCTION cuota_currency AS (moneda) ->
    transform(moneda, ['$$', 'PROM'], ['PESOS', 'DOLAR'], moneda)

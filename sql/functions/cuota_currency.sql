-- The currency words of the API for those of the sources (RULES 6): $$ is
-- pesos, PROM is dollars, and investment funds write the words themselves; anything
-- else stays as written and is unknown.
CREATE OR REPLACE FUNCTION cuota_currency AS (moneda) ->
    transform(moneda, ['$$', 'CLP', 'PROM', 'USD'], ['PESOS', 'PESOS', 'DOLAR', 'DOLAR'], moneda)

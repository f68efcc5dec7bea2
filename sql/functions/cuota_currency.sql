-- The currency as the API writes it, from the currency as a source writes it (RULES 6): $$
-- and CLP are PESOS, PROM and USD are DOLAR. Anything else stays as it is written, and is
-- an unknown currency unless it is PESOS or DOLAR already.
CREATE OR REPLACE FUNCTION cuota_currency AS (moneda) ->
    transform(moneda, ['$$', 'CLP', 'PROM', 'USD'], ['PESOS', 'PESOS', 'DOLAR', 'DOLAR'], moneda)

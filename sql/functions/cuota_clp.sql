-- An amount in pesos: pesos as they are, dollars at a dólar observado, null for any other
-- currency, and null if no dólar is known (RULES 8). It is a decimal with ten places, so
-- that sums do not depend on the order of rows.
CREATE OR REPLACE FUNCTION cuota_clp AS (currency, amount, dolar) -> multiIf(
    currency = 'PESOS',                 toDecimal128(amount, 10),
    currency = 'DOLAR' AND dolar > 0,   toDecimal128(toDecimal128(amount, 4) * dolar, 10),
    NULL)

-- A return from the multiple of the money over a window: per year where the
-- window annualises over some years, plain where years is 0 (RULES 1: exponent
-- 1/N, never days/365).
CREATE OR REPLACE FUNCTION cuota_annual AS (multiple, years) ->
    if(years = 0, multiple, pow(multiple, 1 / years)) - 1

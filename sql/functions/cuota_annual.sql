-- Return over a window, as a fraction, from the multiple by which the money grew. It is per
-- year if the window is annualised over a number of years, and plain if years is 0 (RULES
-- 1: the exponent is 1/N, never days/365).
CREATE OR REPLACE FUNCTION cuota_annual AS (multiple, years) ->
    if(years = 0, multiple, pow(multiple, 1 / years)) - 1

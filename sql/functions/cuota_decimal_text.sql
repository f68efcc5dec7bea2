-- A multiplier as the API writes it: 18 places, without an exponent and without
-- the zeros behind the last digit.
CREATE OR REPLACE FUNCTION cuota_decimal_text AS (multiplier) ->
    toString(toDecimal256(round(multiplier, 18), 18))

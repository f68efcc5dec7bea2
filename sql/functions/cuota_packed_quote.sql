-- A quote as one number, of which the greatest is the newest. The upper part has the day
-- times eight, plus 4 if there is a value, plus 1 for pesos or 2 for dollars. The lower 64
-- bits have the value in millionths. The maximum of numbers is found many times faster than
-- the argMax of tuples.
CREATE OR REPLACE FUNCTION cuota_packed_quote AS
    (date, quota, currency) ->
    bitShiftLeft(toUInt128(toUInt32(date) * 8 + 4 * isNotNull(quota) + (currency = 'PESOS') + 2 * (currency = 'DOLAR')), 64)
        + reinterpretAsUInt64(assumeNotNull(quota))

-- The day, value and currency of a packed quote (cuota_packed_quote). The date 1970-01-01
-- means no quote, and an empty currency any except PESOS and DOLAR.
CREATE OR REPLACE FUNCTION cuota_unpacked_quote AS
    packed ->
    (
        toDate(intDiv(toUInt32(bitShiftRight(packed, 64)), 8)),
        if(bitAnd(toUInt32(bitShiftRight(packed, 64)), 4) > 0, reinterpretAsInt64(toUInt64(packed)) / 1000000, NULL),
        ['', 'PESOS', 'DOLAR'][bitAnd(toUInt32(bitShiftRight(packed, 64)), 3) + 1]
    )

-- A RUN or RUT with its check digit, as in 10058-7 (RULES 12): modulus 11, the
-- digits weighted 2 to 7 from the last one on.
CREATE OR REPLACE FUNCTION cuota_rol AS (n) -> concat(
    toString(n), '-',
    transform(
        11 - arraySum((digit, place) -> toUInt32(digit) * (2 + place % 6),
                      reverse(splitByString('', toString(n))),
                      range(length(toString(n)))) % 11,
        [10, 11], ['K', '0'],
        toString(11 - arraySum((digit, place) -> toUInt32(digit) * (2 + place % 6),
                               reverse(splitByString('', toString(n))),
                               range(length(toString(n)))) % 11)))

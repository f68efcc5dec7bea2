-- The product of decimal factors, kept to 36 places at each step. One beyond 1e20
-- is cut off, so that no list overflows; the reader compares it with the product
-- of the same factors as floats (RULES 1 has no return that large).
CREATE OR REPLACE FUNCTION cuota_product AS (factors) ->
    arrayFold((product, factor) -> multiplyDecimal(least(product, toDecimal256(100000000000000000000, 36)), factor, 36),
              factors, toDecimal256(1, 36))

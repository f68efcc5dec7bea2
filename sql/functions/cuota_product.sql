-- The product of decimal factors, kept to 36 places at each step. It is capped at about
-- 1e20, so that no list overflows. The reader recognises a capped product because it
-- differs from the product of the same factors as floats. No return of RULES 1 is that
-- large.
CREATE OR REPLACE FUNCTION cuota_product AS (factors) ->
    arrayFold((product, factor) -> multiplyDecimal(least(product, toDecimal256(100000000000000000000, 36)), factor, 36),
              factors, toDecimal256(1, 36))

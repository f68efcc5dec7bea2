-- The public id of a series of an investment fund or ETF (RULES 12): the UUID of
-- version 5 of fi:RUN:SERIE, as in fi:9278-9:A, in a name space of ours,
-- 6fd62e7b-a48f-4dc7-a12e-0a1ee6d39c07, which never changes. With an empty
-- series, it is the id of a fund of which no series is known.
CREATE OR REPLACE FUNCTION cuota_fi_id AS (run, serie) -> arrayElement(arrayMap(
    hash -> toUUID(concat(
        substring(hash, 1, 8), '-', substring(hash, 9, 4), '-5', substring(hash, 14, 3), '-',
        -- The two highest bits of the ninth byte are 10.
        substring('89ab89ab89ab89ab', position('0123456789abcdef', substring(hash, 17, 1)), 1), substring(hash, 18, 3), '-',
        substring(hash, 21, 12))),
    [lower(hex(SHA1(concat(unhex('6fd62e7ba48f4dc7a12e0a1ee6d39c07'), 'fi:', cuota_rol(run), ':', serie))))]), 1)

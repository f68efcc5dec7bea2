-- What a quote of each currency is converted with on each calendar day up to a
-- date in a valuation ('accounting', 'clp' or 'real_uf'), as batch N sees it: for
-- dollars, but in accounting, the dólar observado last published on or before the
-- day, however old; in real_uf the UF of the very day (RULES 1). Null where there
-- is none, or none is needed.
--   SELECT * FROM rate_of(batch = 7, until = '2025-07-20', valuation = 'clp') WHERE currency = 'DOLAR'
CREATE OR REPLACE VIEW rate_of AS
WITH
    indicator AS (SELECT * FROM indicator_of(batch = {batch:UInt64}) WHERE date <= {until:Date}),
    days AS
    (
        SELECT
            arrayJoin(arrayMap(n -> first + n, range(toDate({until:Date}) - first + 1)))    AS date,
            arrayJoin(['PESOS', 'DOLAR'])                                                   AS currency,
            currency = 'DOLAR' AND {valuation:String} != 'accounting' ? 'dolar' : ''        AS fx_code,
            {valuation:String} = 'real_uf' ? 'uf' : ''                                      AS uf_code
        FROM (SELECT min(date) AS first FROM indicator HAVING count() > 0)
    )
SELECT
    days.date                                      AS date,
    days.currency                                  AS currency,
    if(dolar.code = '', NULL, dolar.date)          AS fx_date,
    if(dolar.code = '', NULL, dolar.value)         AS fx,
    if(dolar.code = '', NULL, dolar.source_sha256) AS fx_sha256,
    if(dolar.code = '', NULL, dolar.revision)      AS fx_revision,
    if(uf.code = '', NULL, uf.date)                AS uf_date,
    if(uf.code = '', NULL, uf.value)               AS uf,
    if(uf.code = '', NULL, uf.source_sha256)       AS uf_sha256,
    if(uf.code = '', NULL, uf.revision)            AS uf_revision
FROM days
ASOF LEFT JOIN indicator AS dolar ON dolar.code = days.fx_code AND dolar.date <= days.date
LEFT JOIN indicator AS uf ON uf.code = days.uf_code AND uf.date = days.date

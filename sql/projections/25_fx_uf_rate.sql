-- The rates by which quotes are converted on each calendar day: the dólar observado last
-- published on or before the day, whose age the reader checks, and the UF of the exact day
-- (RULES 1). The days go from the oldest indicator to the newest, or to the newest quote or
-- book value if that is later.
INSERT INTO fx_uf_rate (batch, date, fx, uf)
WITH
    indicator AS (SELECT * FROM batch_indicator(batch = {batch:UInt64})),
    days AS
    (
        SELECT arrayJoin(arrayMap(n -> first + n, range(toUInt32(last - first + 1)))) AS date, 'dolar' AS fx_code
        FROM
        (
            SELECT min(date) AS first, greatest(max(date), (SELECT max(date) FROM series_day_version WHERE build <= {batch:UInt64} AND build NOT IN (SELECT batch FROM batch_failure)),
                                                      (SELECT max(date) FROM fi_day_version WHERE build <= {batch:UInt64} AND build NOT IN (SELECT batch FROM batch_failure))) AS last
            FROM indicator
            HAVING count() > 0
        )
    )
SELECT
    {batch:UInt64},
    days.date,
    if(dolar.code = '', (NULL, NULL, NULL, NULL), (dolar.date, dolar.value, dolar.source_sha256, dolar.revision)),
    if(uf.code = '', (NULL, NULL, NULL, NULL), (uf.date, uf.value, uf.source_sha256, uf.revision))
FROM days
ASOF LEFT JOIN indicator AS dolar ON dolar.code = days.fx_code AND dolar.date <= days.date
LEFT JOIN (SELECT * FROM indicator WHERE code = 'uf') AS uf ON uf.date = days.date

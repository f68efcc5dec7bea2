-- The days of which a row may differ between two batches: those that a batch built after the
-- older one, and those whose rates differ, because amounts in pesos change with them.
--   since  number of the older batch
--   batch  number of the newer batch
SELECT date FROM series_day_version WHERE build > {since:UInt64} AND build <= {batch:UInt64}
UNION DISTINCT
SELECT date FROM market_day_version WHERE build > {since:UInt64} AND build <= {batch:UInt64}
UNION DISTINCT
SELECT date FROM fi_day_version WHERE build > {since:UInt64} AND build <= {batch:UInt64}
UNION DISTINCT
SELECT date FROM return_day_version WHERE build > {since:UInt64} AND build <= {batch:UInt64}
UNION DISTINCT
SELECT date
FROM fx_uf_rate
WHERE batch IN ({since:UInt64}, {batch:UInt64}) AND {since:UInt64} != {batch:UInt64}
GROUP BY date, fx, uf HAVING count() = 1
ORDER BY date

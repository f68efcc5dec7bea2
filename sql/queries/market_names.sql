-- The names by which a search finds the series alive at the cutoff.
SELECT series_id, alias_ids, toString(fund) AS fund, toString(run) AS run, toString(serie) AS serie
FROM screener
WHERE batch = {batch:UInt64}
ORDER BY series_id

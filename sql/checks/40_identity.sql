-- Each id belongs to one key, and each key has one id.
SELECT format('{} id {} belongs to {} keys, expected one', kind, toString(id), toString(count())) AS violation
FROM registry GROUP BY transform(kind, ['fi_series'], ['series']) AS kind, id HAVING count() > 1 LIMIT 10
UNION ALL
SELECT format('{} key {} has {} ids, expected one', kind, key, toString(count()))
FROM registry GROUP BY kind, key HAVING count() > 1 LIMIT 10
UNION ALL
SELECT format('{} {} is {} times in the batch, expected once', kind, toString(id), toString(n))
FROM
(
    SELECT 'series' AS kind, series_id AS id, count() AS n FROM series WHERE batch = {batch:UInt64} GROUP BY series_id
    UNION ALL SELECT 'fund', fund_id, count() FROM fund WHERE batch = {batch:UInt64} GROUP BY fund_id
    UNION ALL SELECT 'manager', manager_id, count() FROM manager WHERE batch = {batch:UInt64} GROUP BY manager_id
    UNION ALL SELECT 'screener row', series_id, count() FROM screener WHERE batch = {batch:UInt64} GROUP BY series_id
)
WHERE n > 1
LIMIT 10

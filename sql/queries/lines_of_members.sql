-- Every line of the cartola about some series on some days, by series, day and publication (batch_revision), with the
-- series as the registry has it. What a void line states is null.
--   members      ids of the series
--   from, until  first and last day
SELECT
    series_id, registered.run AS run, registered.newest AS newest, date, serie, counts, published_at, sha256, line,
    if(void, NULL, currency) AS currency, if(void, NULL, quota) AS quota, if(void, NULL, equity) AS equity,
    if(void, NULL, toNullable(stated_factor)) AS stated_factor
FROM batch_revision(batch = {batch:UInt64}, series = {members:Array(UInt32)}, from = {from:Date}, to = {until:Date}) AS stated
INNER JOIN (SELECT id, run, toString(serie) AS newest FROM registry WHERE kind = 'series' AND id IN {members:Array(UInt32)}) AS registered
    ON registered.id = stated.series_id
ORDER BY series_id, date, published_at, sha256, line

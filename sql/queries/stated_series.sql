-- The series that names in a file mean in a batch, and their families. A name that no batch knows has no
-- row. A quote under the name counts for the series from valid_from to valid_until, whatever its other names say. On
-- other days that depends on them (batch_series_name).
--   runs, series_names  RUN and name of each, at the same places
--   dataset             cartola, or fi-values for series of investment funds
SELECT
    names.run AS run, names.serie AS serie, names.series_id AS series_id, names.valid_from AS valid_from,
    names.valid_until AS valid_until,
    ifNull(toString(known.family_rar), '') AS family
FROM
(
    SELECT run, serie, series_id, valid_from, valid_until
    FROM batch_series_name(batch = {batch:UInt64})
    WHERE {dataset:String} = 'cartola'
    UNION ALL
    SELECT run, serie, id, toDate('1970-01-01'), toDate('2149-06-06')
    FROM registry
    WHERE kind = 'fi_series' AND batch <= {batch:UInt64} AND {dataset:String} != 'cartola'
) AS names
LEFT JOIN (SELECT series_id, family_rar FROM series WHERE batch = {batch:UInt64}) AS known
    ON known.series_id = names.series_id
WHERE has(arrayZip({runs:Array(UInt32)}, {series_names:Array(String)}), (names.run, names.serie))
ORDER BY names.run, names.serie
SETTINGS join_use_nulls = 0

-- The series of mutual funds that a reader has named, open or closed, by any of their ids, or by the RUN of the fund
-- and any name that the series ever had. A row for each name that was found. first_date is the day of the first quote.
--   ids    ids of series
--   runs   RUNs without check digit, and names the names of their series in upper case, at the same places
SELECT
    labels.label_id AS label_id, labels.run AS label_run, labels.serie AS label_serie,
    series.series_id AS series_id, series.run AS run, toString(series.serie) AS serie, funds.name AS fund, series.currency AS currency, series.first_date AS first_date
FROM batch_series_name(batch = {batch:UInt64}) AS labels
INNER JOIN (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = labels.series_id
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
WHERE labels.label_id IN {ids:Array(UInt32)} OR has(arrayZip({runs:Array(UInt32)}, {names:Array(String)}), (labels.run, labels.serie))
ORDER BY label_id

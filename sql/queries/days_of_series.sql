-- Quota values of several series in a range of days, by day and series, each in the currency of its
-- day. Days whose quota could not be read are left out. Names are those at the cutoff.
--   from, to       first and last day
--   limit, offset  the page
SELECT
    page.series_id AS series_id, known.ids[1] AS asset_id, page.date AS date, page.quota AS quota, page.currency AS currency,
    known.run AS run, known.serie AS serie, funds.name AS fund
FROM
(
    SELECT series_id, date, assumeNotNull(quoted.quota) AS quota, if(quoted.currency IN ('PESOS', 'DOLAR'), toNullable(toString(quoted.currency)), NULL) AS currency
    FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false) AS quoted
    WHERE date BETWEEN {from:Date} AND {to:Date} AND quoted.quota IS NOT NULL
    ORDER BY date, series_id
    LIMIT {limit:UInt64} OFFSET {offset:UInt64}
) AS page
INNER JOIN (SELECT series_id, ids, fund_id, run, serie FROM batch_watchable_series(batch = {batch:UInt64})) AS known ON known.series_id = page.series_id
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
ORDER BY page.date, page.series_id

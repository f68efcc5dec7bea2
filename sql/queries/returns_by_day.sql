-- The price returns of every series on the days of a period as the batch stored them, with the names
-- that the series have at the cutoff. The lists have
-- one item for each window: 1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann, last_closed_month.
--   from, to       first and last day
--   series         only these; empty: all
--   filtered       only series of the screener that pass parts/screener_filters.sql, whose parameters come with it
--   limit, offset  the page
SELECT page.*, named.run AS run, named.serie AS serie, named.fund AS fund
FROM
(
    SELECT
        stored.series_id AS series_id, stored.date AS date, nullIf(stored.currency, '') AS currency, stored.effective_end AS effective_end,
        nullIf(stored.month_currency, '') AS month_currency, stored.month_effective_end AS month_effective_end,
        [return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month] AS returns,
        [reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month] AS reasons,
        [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month]         AS starts
    FROM batch_return_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS stored
    WHERE (empty({series:Array(UInt32)}) OR stored.series_id IN {series:Array(UInt32)})
      AND (NOT {filtered:Bool} OR stored.series_id IN
          (SELECT series_id FROM batch_screener(batch = {batch:UInt64}) WHERE parts.screener_filters))
    ORDER BY stored.date, stored.series_id
    LIMIT {limit:UInt64} OFFSET {offset:UInt64}
) AS page
LEFT JOIN
(
    SELECT known.series_id AS series_id, known.run AS run, known.serie AS serie, funds.name AS fund
    FROM batch_watchable_series(batch = {batch:UInt64}) AS known
    INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id
) AS named ON named.series_id = page.series_id
ORDER BY page.date, page.series_id

-- What people who watch a series are told of it, as batch N with its cutoff shows
-- it. Each row stays the same from batch to batch while it is true; what was
-- announced already is not looked at here. ids are all that find the series, those
-- of names that it had as well.
--   tac     the cost rate of its latest closed month differs from that of the month
--           known before by the threshold or more; date: the month. Fractions.
--   move    its quota moved by the threshold or more on the cutoff, and the move is
--           believed (RULES 7); date: the cutoff; after: the change, a fraction,
--           from the quote of before_date
--   closed  not current any more (RULES 7), since at most 60 days; date: its last quote
-- An empty list of series means all of them.
--   SELECT * FROM alert_of(batch = 7, as_of = '2025-07-20', series = [4047362302])
CREATE OR REPLACE VIEW alert_of AS
WITH
    known AS
    (
        SELECT series_id, fund_id, run, serie, alias_ids, coalesce(category, '') AS category, last_date, current
        FROM series
        WHERE batch = {batch:UInt64}
          AND (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)} OR hasAny(alias_ids, {series:Array(UInt32)}))
    ),
    rates AS
    (
        SELECT series_id, arraySlice(arrayReverseSort(groupArray((month, assumeNotNull(history.tac)))), 1, 2) AS latest
        FROM tac_history_of(batch = {batch:UInt64}, series = []) AS history
        WHERE history.tac IS NOT NULL AND month <= {as_of:Date} AND series_id IN (SELECT series_id FROM known)
        GROUP BY series_id
        HAVING length(latest) = 2
    ),
    found AS
    (
        SELECT
            'tac' AS kind, known.series_id AS series_id, latest[1].1 AS date,
            toNullable(latest[2].2) AS before, toNullable(latest[1].2) AS after, toNullable(latest[2].1) AS before_date
        FROM known
        INNER JOIN rates ON rates.series_id = known.series_id
        INNER JOIN alert_threshold AS threshold ON threshold.category = known.category
        WHERE round(abs(latest[1].2 - latest[2].2), 12) >= threshold.tac
        UNION ALL
        SELECT 'move', known.series_id, market.date, NULL, market.daily_change / 100, market.previous_date
        FROM known
        INNER JOIN market_day_of(batch = {batch:UInt64}, from = {as_of:Date}, to = {as_of:Date}) AS market ON market.series_id = known.series_id
        INNER JOIN alert_threshold AS threshold ON threshold.category = ifNull(market.category, '')
        WHERE market.daily_outlier = '' AND round(abs(market.daily_change) / 100, 12) >= threshold.daily
        UNION ALL
        SELECT 'closed', series_id, last_date, NULL, NULL, NULL
        FROM known
        WHERE NOT current AND last_date BETWEEN toDate({as_of:Date}) - 60 AND {as_of:Date}
    )
SELECT
    found.kind AS kind, found.series_id AS series_id,
    arrayMap(id -> toString(id), if(empty(known.alias_ids), [known.series_id], known.alias_ids)) AS ids, found.date AS date,
    funds.name AS fund, known.run AS run, known.serie AS serie,
    found.before AS before, found.after AS after, found.before_date AS before_date
FROM found
INNER JOIN known ON known.series_id = found.series_id
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id

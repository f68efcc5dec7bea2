-- The alerts of batch N and its cutoff, for people who watch a series. A row is the same in
-- every batch in which it is true. The view does not know what was announced before. ids are
-- all ids that find the series, including those of earlier names, and the first is the one
-- that is shown. Rates and changes are fractions.
--   tac     The cost rate of the latest closed month differs by the threshold or more from
--           the rate of the month known before. Both are of one kind (batch_tac_change).
--           date is the month.
--   move    The quota changed by the threshold or more on the cutoff, and the change is no
--           outlier (RULES 7). date is the cutoff, and after is the change since the quote
--           of before_date. Of an investment fund's series the book value counts, on any of
--           the seven days up to the cutoff, if the change is within the cap of an
--           unclassified series (outlier_cap).
--   closed  The series is closed (batch_watchable_series), and its last quote is at most 60
--           days older than the cutoff, or 95 days for an investment fund, which may report
--           that late (RULES 11). date is the day of the last quote.
-- investment lists the numbers of the series of investment funds to include.
--   SELECT * FROM batch_alert(batch = 7, as_of = '2025-07-20', investment = []) WHERE has(ids, '4047362302')
CREATE OR REPLACE VIEW batch_alert AS
WITH
    known AS (SELECT * FROM batch_watchable_series(batch = {batch:UInt64})),
    rates AS
    (
        SELECT series_id, arraySlice(arrayReverseSort(groupArray((month, assumeNotNull(history.tac)))), 1, 2) AS latest
        FROM batch_tac_rate(batch = {batch:UInt64}, series = [], all_series = true) AS history
        WHERE history.tac IS NOT NULL AND month <= {as_of:Date}
        GROUP BY series_id, tac_kind
        HAVING length(latest) = 2
        ORDER BY series_id, latest[1].1 DESC, tac_kind = 'stated' DESC
        LIMIT 1 BY series_id
    ),
    moves AS
    (
        SELECT series_id, date, previous_date, assumeNotNull(daily_change) / 100 AS change, ifNull(toString(category), '') AS category
        FROM batch_market_day(batch = {batch:UInt64}, from = {as_of:Date}, to = {as_of:Date})
        WHERE daily_change IS NOT NULL AND daily_outlier = ''
        UNION ALL
        SELECT series_id, date, previous_date_used, assumeNotNull(daily_return), ''
        FROM batch_market_change(batch = {batch:UInt64}, from = toDate({as_of:Date}) - 6, to = {as_of:Date}, series = {investment:Array(UInt32)}, all_series = false)
        WHERE daily_return IS NOT NULL AND abs(daily_return) <= (SELECT daily FROM outlier_cap WHERE category = '')
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
        SELECT 'move', known.series_id, moves.date, NULL, moves.change, moves.previous_date
        FROM known
        INNER JOIN moves ON moves.series_id = known.series_id
        INNER JOIN alert_threshold AS threshold ON threshold.category = moves.category
        WHERE round(abs(moves.change), 12) >= threshold.daily
        UNION ALL
        SELECT 'closed', series_id, assumeNotNull(closed_on), NULL, NULL, NULL
        FROM known
        WHERE closed_on BETWEEN toDate({as_of:Date}) - if(by_book_value, 95, 60) AND {as_of:Date}
    )
SELECT
    found.kind AS kind, found.series_id AS series_id, known.ids AS ids, found.date AS date,
    funds.name AS fund, known.run AS run, known.serie AS serie,
    found.before AS before, found.after AS after, found.before_date AS before_date
FROM found
INNER JOIN known ON known.series_id = found.series_id
INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = known.fund_id

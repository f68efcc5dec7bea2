-- The series of mutual funds that are alive at the cutoff, as they were at a past date: the
-- rows of the screener at that date (RULES 7). A series has a row if one of its quotas counts
-- on the date, so those that began later are missing, and so are those that have closed
-- since. The columns are those of market.sql, in the order of ids, and these: rated_family,
-- the familia_rar of the rating, and classified_later.
--   date      a day with data
--   known_by  catalogues count as they stated attributes up to this day, which is the
--             requested date (RULES 3). Before the first comparator, families and
--             categories are those of the first one, and classified_later is set.
WITH
    standing AS
    (
        SELECT *
        FROM batch_market_standing(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})
        WHERE series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
    ),
    line AS (SELECT * FROM series_official_return_as_of(batch = {batch:UInt64}, as_of = {known_by:Date})),
    -- The comparator in force, always in one row.
    comparator AS
    (
        SELECT
            count() AS lines, max(date) AS date,
            argMax(revision, (revision, source_sha256)) AS loaded_at, toString(argMax(source_sha256, (revision, source_sha256))) AS sha256
        FROM official_return_as_of(batch = {batch:UInt64}, as_of = {known_by:Date})
    ),
    later AS
    (
        SELECT count() AS lines FROM fact_official_return
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) AND date > {known_by:Date}
    ),
    windows AS (SELECT * FROM batch_return_day(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date}))
SELECT
    count() OVER () AS total, row_number() OVER (ORDER BY series.series_id) AS position,
    series.series_id AS series_id, series.fund_id AS fund_id, series.run AS run, series.serie AS serie,
    funds.manager AS manager, funds.name AS fund,
    standing.category AS category, standing.family_rar AS family_rar, standing.family_display AS family_display,
    nullIf(line.family_studies, '')                          AS family_studies,
    nullIf(line.investor_class, '')                          AS class_dated,
    if(line.run = 0, NULL, line.date)                        AS classification_date,
    nullIf(costs.investor_class, '')                         AS class_tac,
    cuota_apv(stated.apv, coalesce(nullIf(line.investor_class, ''), nullIf(costs.investor_class, ''))) AS apv,
    stated.digital AS digital, stated.qualified AS qualified,
    if(standing.currency IN ('PESOS', 'DOLAR'), standing.currency, NULL) AS currency,
    if(costs.series_id = 0, NULL, costs.tac)                 AS tac,
    nullIf(costs.tac_kind, '')                               AS tac_kind,
    if(costs.series_id = 0, NULL, costs.date)                AS tac_date,
    standing.price AS price, standing.date AS price_date,
    standing.daily_change AS daily_change, standing.monthly_change AS monthly_change,
    standing.equity AS equity, standing.previous_equity AS previous_equity, standing.month_equity AS month_equity,
    standing.shareholders AS shareholders,
    nullIf(line.spheres, 0)                                  AS spheres,
    cuota_spheres_reason(comparator.lines, later.lines, line.run, line.spheres) AS spheres_reason,
    if(comparator.lines = 0, NULL, comparator.date)          AS spheres_date,
    multiIf(comparator.lines = 0, NULL, line.run = 0, comparator.loaded_at, line.revision)                  AS spheres_loaded_at,
    multiIf(comparator.lines = 0, NULL, line.run = 0, comparator.sha256, toString(line.source_sha256))      AS spheres_sha256,
    nullIf(toString(line.family_rar), '')                    AS rated_family,
    standing.classified_later                                AS classified_later,
    parts.risk_columns,
    series.previous_serie AS previous_serie, series.current_serie AS current_serie,
    series.first_current_date AS first_current_date, series.alias_ids AS alias_ids,
    [return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month] AS returns,
    nullIf(windows.month_currency, '') AS currency_last_closed_month,
    -- A series without a row in the stored windows had no quote to end them with.
    arrayMap(reason -> if(windows.series_id = 0, 'missing_end_quote', toString(reason)),
        [reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month]) AS reasons,
    [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month]              AS starts,
    arrayPushBack(arrayResize([if(windows.series_id = 0, NULL, toNullable(windows.effective_end))], 7, if(windows.series_id = 0, NULL, toNullable(windows.effective_end))),
                  windows.month_effective_end)               AS ends,
    arrayMap(w -> w.3, cuota_windows(toDate({date:Date}), cuota_closed_month_end(toDate({date:Date})))) AS target_starts,
    arrayMap(w -> w.4, cuota_windows(toDate({date:Date}), cuota_closed_month_end(toDate({date:Date})))) AS target_ends
FROM standing
INNER JOIN (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = standing.series_id
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
LEFT JOIN line ON line.series_id = standing.series_id
LEFT JOIN tac_as_of(batch = {batch:UInt64}, as_of = {known_by:Date}) AS costs ON costs.series_id = standing.series_id
LEFT JOIN eligibility_as_of(batch = {batch:UInt64}, as_of = {known_by:Date}) AS stated ON stated.series_id = standing.series_id
LEFT JOIN risk_as_of(batch = {batch:UInt64}, as_of = {date:Date}, series = [], all_series = true) AS risk ON risk.series_id = standing.series_id
LEFT JOIN windows ON windows.series_id = standing.series_id
CROSS JOIN comparator
CROSS JOIN later
ORDER BY series_id

-- The series of mutual funds that had been quoted and were no longer current on a day (RULES 7, which series are alive),
-- and the funds that the register had ended by then and that no file ever quoted up to then. The series of a fund stand
-- together, the fund that closed last first. A fund without series has one row, with series_id 0.
--   as_of  the day, at most the cutoff
-- closed_on is the last day with a quota, else the day on which the register ended the fund. reason is what ended the
-- series: exchanged (its quotas became those of another series, which other_ columns name), register (the fund ended),
-- stated (a person stated the end), redeemed (no row for more than 7 days, and the last quoted one has no equity), or
-- silent (no row for more than 7 days). ended_on is the day of that end, null of redeemed and silent. equity is that of
-- the last day with a quota, in full units of currency; equity_clp in full pesos at the dólar of that day.
WITH
    toDate({as_of:Date}) AS day,
    known AS
    (
        SELECT
            series.series_id AS series_id, series.alias_ids AS alias_ids, series.fund_id AS fund_id, series.serie AS serie,
            series.last_family AS last_family, series.last_date AS last_date, ifNull(toString(series.currency), '') AS currency,
            latest.quota AS quota, latest.equity AS equity
        FROM (SELECT * FROM series WHERE batch = {batch:UInt64} AND first_date <= {as_of:Date}) AS series
        INNER JOIN (SELECT series_id, quota, equity FROM series_latest WHERE batch = {batch:UInt64}) AS latest ON latest.series_id = series.series_id
    ),
    -- The newest row of each series up to the day, and its newest quota: series_latest has both, of a series that had no
    -- later row.
    newest_rows AS
    (
        SELECT series_id, last_date AS newest, last_date AS quoted_on, toNullable(equity) AS equity, currency
        FROM known
        WHERE last_date <= day AND quota IS NOT NULL
        UNION ALL
        SELECT series_id, newest, quoted_on, last_quoted.1, last_quoted.2
        FROM
        (
            SELECT
                series_id, max(date) AS newest, maxIf(date, quota IS NOT NULL) AS quoted_on,
                argMaxIf((equity, toString(currency)), date, quota IS NOT NULL) AS last_quoted
            FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
            WHERE date <= {as_of:Date} AND series_id IN (SELECT series_id FROM known WHERE last_date > day OR quota IS NULL)
            GROUP BY series_id
            HAVING countIf(quota IS NOT NULL) > 0
        )
    ),
    other_ends AS
    (
        SELECT series_id AS ended_series, groupArray(ended_on) AS on_days
        FROM batch_series_end(batch = {batch:UInt64})
        WHERE NOT by_register
        GROUP BY series_id
    ),
    -- The first exchange of each series after its newest row.
    moved AS
    (
        SELECT
            origin_id, min(effective_date) AS moved_on,
            argMin((destination_id, destination_run, destination_serie), (effective_date, event_id)) AS destination
        FROM batch_exchange(batch = {batch:UInt64}) AS exchanges
        INNER JOIN (SELECT series_id, newest FROM newest_rows) AS rows_before ON rows_before.series_id = exchanges.origin_id
        WHERE effective_date > newest AND effective_date <= day
        GROUP BY origin_id
    ),
    funds AS
    (
        SELECT fund_id, run, name, manager, ended IS NOT NULL AND ended <= day AS over, ended
        FROM fund
        WHERE batch = {batch:UInt64}
    ),
    closed AS
    (
        SELECT
            newest_rows.series_id AS series_id, known.fund_id AS fund_id, known.alias_ids AS alias_ids, toString(known.serie) AS serie,
            toNullable(toString(known.last_family)) AS family, toNullable(toDate32(quoted_on)) AS last_date,
            newest_rows.equity AS equity, nullIf(newest_rows.currency, '') AS currency,
            arrayMin(arrayFilter(ended -> ended > newest AND ended <= day, other_ends.on_days)) AS other_end,
            moved.destination AS destination,
            multiIf(moved.origin_id != 0, 'exchanged', funds.over, 'register', other_end != toDate(0), 'stated', newest_rows.equity = 0, 'redeemed', 'silent') AS reason,
            multiIf(reason = 'exchanged', toNullable(toDate32(moved.moved_on)), reason = 'register', funds.ended, reason = 'stated', toNullable(toDate32(other_end)), NULL) AS ended_on
        FROM newest_rows
        INNER JOIN known ON known.series_id = newest_rows.series_id
        INNER JOIN funds ON funds.fund_id = known.fund_id
        LEFT JOIN other_ends ON other_ends.ended_series = newest_rows.series_id
        LEFT JOIN moved ON moved.origin_id = newest_rows.series_id
        WHERE NOT cuota_series_current(true, newest, day, funds.ended, other_ends.on_days)
        UNION ALL
        SELECT 0, fund_id, [], '', NULL, NULL, NULL, NULL, toDate(0), (0, 0, ''), 'register', ended
        FROM funds
        WHERE over AND fund_id NOT IN (SELECT fund_id FROM known WHERE series_id IN (SELECT series_id FROM newest_rows))
    )
SELECT
    closed.series_id AS series_id, toString(closed.series_id = 0 OR empty(alias_ids) ? closed.series_id : alias_ids[1]) AS public_id,
    funds.run AS run, serie, funds.name AS fund, nullIf(funds.manager, '') AS manager, family,
    last_date, assumeNotNull(coalesce(last_date, ended_on)) AS closed_on, reason, ended_on, funds.over ? funds.ended : NULL AS fund_ended,
    toFloat64(equity) AS equity, currency, toFloat64(cuota_clp(currency, equity, dolar.value)) AS equity_clp,
    destination.1 AS other_id, destination.2 = 0 ? '' : cuota_rol(destination.2) AS other_run, toString(destination.3) AS other_serie, others.name AS other_fund
FROM closed
INNER JOIN funds ON funds.fund_id = closed.fund_id
LEFT JOIN (SELECT run, name FROM funds) AS others ON others.run = cuota_rol(destination.2)
LEFT JOIN (SELECT toDate32(date) AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = last_date
ORDER BY max(closed_on) OVER (PARTITION BY closed.fund_id) DESC, fund, run, closed_on DESC, serie, closed.series_id
SETTINGS join_use_nulls = 0

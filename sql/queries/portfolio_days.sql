-- How some series of mutual funds stand on each calendar day of a period, for whoever holds them: by the newest row on or
-- before the day, at most 7 days old, and never an older one in place of a row that was rejected (RULES 1). The last row of a
-- series that has closed stands for all days after it, but not from the day on which its quotas were exchanged for those of another
-- series (reason exchanged). It has one row for each series with any row, with arrays of which each has an item for
-- each day:
--   ages     days since the row that stands; -1 if there is none
--   quotas   its quota, in the currency of the series, and pesos the same at the dólar of its day; 0 if not known
--   ufs      the UF of the very day of the row; 0 if not known
--   dollars  whether its currency is the dólar; of a row without a readable currency false
--   reasons  why the row gives no quota (cuota_quote_reason), and rates why it gives no pesos (cuota_rate_reason); empty if it does
-- closed_on is the day of the last row of a series that is not current at the cutoff and was not on {to} (RULES 7), else null. end_uf is the UF of {to} itself, 0 if there is
-- none. end_dolar is a dólar of at most 7 days before {to} in pesos; 0 if it is not known, for the reason of end_rate_reason.
--   from, to  first and last day
WITH
    (SELECT max(uf.value) FROM fx_uf_rate WHERE batch = {batch:UInt64} AND date = {to:Date}) AS uf_then,
    (SELECT max(fx.date) FROM fx_uf_rate WHERE batch = {batch:UInt64} AND date = {to:Date}) AS dolar_date,
    (SELECT max(fx.value) FROM fx_uf_rate WHERE batch = {batch:UInt64} AND date = {to:Date}) AS dolar_then,
    asked AS
    (
        SELECT
            series_id,
            if(NOT current AND last_date <= {to:Date} AND NOT cuota_series_current(true, last_date, toDate({to:Date}), funds.ended, exchanges.on_days), toNullable(last_date), NULL) AS closed_on,
            arrayMin(arrayFilter(moved_on -> ifNull(moved_on > closed_on, false), exchanges.on_days)) AS exchanged_on
        FROM (SELECT series_id, fund_id, current, last_date FROM series WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)}) AS named
        LEFT JOIN
        (
            SELECT origin_id, groupArray(effective_date) AS on_days
            FROM batch_exchange(batch = {batch:UInt64})
            GROUP BY origin_id
        ) AS exchanges ON exchanges.origin_id = named.series_id
        LEFT JOIN (SELECT fund_id, ended FROM fund WHERE batch = {batch:UInt64} AND ended IS NOT NULL) AS funds ON funds.fund_id = named.fund_id
    ),
    days AS
    (
        SELECT series_id, closed_on, exchanged_on, arrayJoin(arrayMap(n -> toDate({from:Date}) + n, range(toUInt32(toDate({to:Date}) - toDate({from:Date}) + 1)))) AS day
        FROM asked
    ),
    rows AS
    (
        SELECT series_id, date, toFloat64(quota) AS value, currency
        FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
        WHERE date <= {to:Date}
    ),
    standing AS
    (
        SELECT
            days.series_id AS series_id, days.closed_on AS closed_on, days.exchanged_on AS exchanged_on, days.day AS day,
            rows.date AS row_date, rows.value AS value, rows.currency AS currency,
            if(ifNull(days.closed_on <= days.day, false), row_date, days.day) AS target
        FROM days
        ASOF LEFT JOIN rows ON rows.series_id = days.series_id AND rows.date <= days.day
        SETTINGS join_use_nulls = 0
    ),
    valued AS
    (
        SELECT
            series_id, closed_on, day, row_date, value, currency = 'DOLAR' AS in_dollars,
            exchanged_on != toDate(0) AND day >= exchanged_on ? 'exchanged' : ifNull(toString(cuota_quote_reason(true, target, row_date, value, currency, target, row_date, value, currency, [])), '') AS reason,
            ifNull(toString(cuota_rate_reason(false, in_dollars, row_date, fx_date, fx_value, NULL, row_date, fx_date, fx_value, NULL)), '') AS rate_reason,
            toFloat64(ifNull(fx_value, 0)) AS fx,
            toFloat64(ifNull(uf_value, 0)) AS uf
        FROM standing
        LEFT JOIN (SELECT date, fx.date AS fx_date, fx.value AS fx_value, uf.value AS uf_value FROM fx_uf_rate WHERE batch = {batch:UInt64}) AS rates
            ON rates.date = standing.row_date
        SETTINGS join_use_nulls = 1
    )
SELECT series_id, closed_on, sorted.2 AS ages, sorted.3 AS quotas, sorted.4 AS pesos, sorted.5 AS ufs, sorted.6 AS reasons, sorted.7 AS rates, sorted.8 AS dollars,
    toFloat64(ifNull(uf_then, 0)) AS end_uf,
    ifNull(toString(cuota_rate_reason(false, true, toDate({to:Date}), dolar_date, dolar_then, NULL, toDate({to:Date}), dolar_date, dolar_then, NULL)), '') AS end_rate_reason,
    if(end_rate_reason != '', 0, toFloat64(ifNull(dolar_then, 0))) AS end_dolar
FROM
(
    SELECT
        series_id, closed_on,
        arraySort(groupArray((
            day,
            if(row_date = toDate(0), -1, toInt32(day - row_date)),
            if(reason = '', ifNull(value, 0), 0),
            if(reason = '' AND rate_reason = '', ifNull(value, 0) * if(in_dollars, fx, 1), 0),
            uf, reason, rate_reason, toBool(ifNull(in_dollars, false))))) AS sorted
    FROM valued
    GROUP BY series_id, closed_on
)
ORDER BY series_id

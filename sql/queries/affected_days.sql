-- The days of a series in the table daily that are computed with its line of one day, each with the columns that are:
-- see docs/rules.md, "What a line touches". A change that is null stays null. Dates are 1970-01-01 where there is none.
--   daily_moves, monthly_moves    the change of the day, or of the month, is computed with the line
--   daily_weighs, monthly_weighs  the equity of the line is the weight of that change in its family
--   flows                         the contributions or redemptions of the line are in the flow of its day
-- Parameters:
--   date     the day of the line
--   columns  the columns of cartola_daily that change
WITH
parts.line_columns,
    days AS
    (
        SELECT
            *,
            max(if(date = line_day, ifNull(flow, 0) != 0, false)) OVER ()          AS flowing,
            max(if(date = line_day, ifNull(previous_date, toDate(0)), toDate(0))) OVER () AS quote_before,
            max(if(previous_date = line_day AND price IS NOT NULL, date, toDate(0))) OVER () AS quote_after,
            max(ifNull(previous_date = line_day AND abs(daily_change) > 10, false)) OVER ()  AS leaps_after,
            max(ifNull(date = line_day AND abs(daily_change) > 10, false)) OVER ()           AS leaps
        FROM batch_market_day(batch = {batch:UInt64}, from = toDate({date:Date}) - 7, to = addMonths(toDate({date:Date}), 1) + 14)
        WHERE series_id = {series_id:UInt32}
    )
SELECT
    date, ifNull(previous_date, toDate(0)) AS previous, toString(ifNull(family_rar, '')) AS family, toString(currency) AS in_currency,
    daily_change IS NOT NULL
        AND ifNull(date = line_day AND (of_quota OR of_factor) OR previous_date = line_day AND of_quota, false)    AS daily_moves,
    monthly_change IS NOT NULL
        AND ifNull((date = line_day OR month_date = line_day) AND of_quota
                   OR of_factor AND month_date < line_day AND date >= line_day, false)                             AS monthly_moves,
    of_equity AND daily_change IS NOT NULL AND ifNull(previous_date = line_day, false)                             AS daily_weighs,
    of_equity AND monthly_change IS NOT NULL AND ifNull(month_date = line_day, false)                              AS monthly_weighs,
    date = line_day AND (of_flow OR of_quota AND flowing)                                                          AS flows,
    arrayConcat(
        date = line_day AND of_quota ? ['quota'] : [],
        date = line_day AND of_equity ? ['equity', 'equity_clp'] : [],
        date = line_day AND of_shareholders ? ['shareholders'] : [],
        date <= line_day AND ifNull(business_until >= line_day, false) AND (of_flow OR of_quota AND flowing) ? ['flow', 'flow_clp'] : [],
        daily_moves ? ['daily_return', 'outlier', 'spike'] : [],
        -- A spike is told by the next change, and the return from it by the change before. A factor is in the change of
        -- its day alone, and a quote in the next one too.
        ifNull(((of_quota OR of_factor) AND date = quote_before AND abs(daily_change) > 10)
               OR (of_factor AND previous_date = line_day AND leaps)
               OR (of_quota AND previous_date = quote_after AND quote_after > toDate(0) AND leaps_after), false) ? ['spike'] : [],
        monthly_moves ? ['month_return', 'month_outlier'] : []) AS moved
FROM days
ORDER BY date

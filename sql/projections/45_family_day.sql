-- Each family in each currency, for the days between {from} and {to} that this batch
-- builds. A row has the change since the last earlier day with a quote, at most seven days
-- before (RULES 7), and what the family holds on the day, even if it has no quote then. A change that
-- rests on too little of the family is null (cuota_covers), and its coverage is stored.
-- The screener is only read for current_only (63_batch_universe), which is not set here.
--
-- chunks: market_chunks
-- before: screener
INSERT INTO family_day
    (date, family_rar, currency, build, family_display, previous_date,
     daily_return, eligible_series, eligible_share, chained_return, chained_series, chained_share,
     monthly_return, monthly_series, monthly_share, equity, series, funds, quoted)
SELECT
    date, family_rar, currency, {batch:UInt64}, family_display, quoted_before,
    cuota_covered_mean(eligible, equity), length(eligible), cuota_equity_share(eligible, equity),
    cuota_covered_mean(chained, equity), length(chained), cuota_equity_share(chained, equity),
    monthly_return, length(monthly), cuota_equity_share(monthly, equity),
    equity, series, length(runs), quoted
FROM
(
    SELECT
        *,
        arrayFilter(m -> ifNull(m.6 = quoted_before, false), daily) AS eligible,
        arrayFilter(m -> NOT m.7, eligible)                         AS chained
    FROM
    (
        SELECT
            *,
            maxIf(date, quoted > 0) OVER (PARTITION BY family_rar, currency ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS last_date,
            if(quoted > 0 AND last_date != toDate(0) AND date - last_date <= 7, last_date, NULL) AS quoted_before
        FROM batch_family_change(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date}, current_only = false)
    )
    WHERE date >= {from:Date} AND date IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
)

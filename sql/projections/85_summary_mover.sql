-- The greatest rises and falls of each day between {from} and {to} on which this batch computes
-- anything, by daily and by monthly change (RULES 7): among the series alive at its cutoff, and among
-- all that existed. A series may be among them if its equity is worth at least 100 million pesos, and its change is
-- known and no outlier. Of these, the one with most equity stands for its fund, of equal ones that with the lower id.
-- It is the one with the greatest weight, because ClickHouse compares numbers several times faster than tuples. The
-- weight is the equity in units of 10^-10 pesos, times 2^32, less the id. There is room for 4 x 10^18 pesos.
--
-- chunks: summary_chunks
INSERT INTO summary_mover
    (batch, date, list, place, place_then, series_id, fund_id, category, family_rar, currency, price, daily_change, monthly_change, equity, equity_clp)
WITH
    candidates AS
    (
        SELECT
            market.date AS date, fund_id, market.series_id AS series_id,
            market.series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64})) AS alive,
            if(daily_outlier = '', daily_change, NULL)         AS daily,
            if(monthly_outlier = '', monthly_change, NULL)     AS monthly,
            cuota_clp(currency, equity, dolar.value)           AS pesos,
            reinterpretAsInt128(assumeNotNull(pesos)) * 4294967296 - market.series_id AS weight
        FROM batch_market_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
        INNER JOIN (SELECT series_id, fund_id FROM series WHERE batch = {batch:UInt64}) AS of_fund ON of_fund.series_id = market.series_id
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = market.date
        WHERE pesos >= 100000000 AND market.date IN (SELECT date FROM summary_day_version WHERE batch = {batch:UInt64})
    ),
    leading AS
    (
        -- For each fund the series that stands for it, and its change; 0 if there is none.
        SELECT
            date, fund_id,
            argMaxIf(series_id, weight, alive AND daily IS NOT NULL)   AS current_daily,   argMaxIf(assumeNotNull(daily), weight, alive AND daily IS NOT NULL)     AS current_daily_change,
            argMaxIf(series_id, weight, alive AND monthly IS NOT NULL) AS current_monthly, argMaxIf(assumeNotNull(monthly), weight, alive AND monthly IS NOT NULL) AS current_monthly_change,
            argMaxIf(series_id, weight, daily IS NOT NULL)             AS then_daily,      argMaxIf(assumeNotNull(daily), weight, daily IS NOT NULL)               AS then_daily_change,
            argMaxIf(series_id, weight, monthly IS NOT NULL)           AS then_monthly,    argMaxIf(assumeNotNull(monthly), weight, monthly IS NOT NULL)           AS then_monthly_change
        FROM candidates
        GROUP BY date, fund_id
    ),
    ranked AS
    (
        SELECT
            date, of.1 AS universe, of.2 AS kind,
            groupArraySortedIf(10)((-of.4, of.3, fund_id), of.4 > 0) AS gainers,
            groupArraySortedIf(10)((of.4, of.3, fund_id), of.4 < 0)  AS losers
        FROM leading
        ARRAY JOIN
            [('current', 'daily', current_daily, current_daily_change), ('current', 'monthly', current_monthly, current_monthly_change),
             ('then',    'daily', then_daily,    then_daily_change),    ('then',    'monthly', then_monthly,    then_monthly_change)] AS of
        GROUP BY date, universe, kind
    ),
    listed AS
    (
        SELECT
            date AS listed_on, concat(sign, kind) AS list_name, member.2 AS listed_series, any(member.3) AS listed_fund,
            maxIf(rank, universe = 'current') AS place, maxIf(rank, universe = 'then') AS place_then
        FROM (SELECT date, universe, kind, one.1 AS sign, one.2 AS members FROM ranked ARRAY JOIN [('gainers_', gainers), ('losers_', losers)] AS one)
        ARRAY JOIN members AS member, arrayEnumerate(members) AS rank
        GROUP BY listed_on, list_name, listed_series
    )
SELECT
    {batch:UInt64}, listed_on, list_name, place, place_then, listed_series, listed_fund, category, family_rar, currency, price,
    if(daily_outlier = '', daily_change, NULL), if(monthly_outlier = '', monthly_change, NULL),
    equity, assumeNotNull(cuota_clp(currency, equity, dolar.value))
FROM batch_market_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
INNER JOIN listed ON listed_on = market.date AND listed_series = market.series_id
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = listed_on

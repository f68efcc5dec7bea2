-- The correlation of each pair of some series: of their returns in the closed months up to a day in which all of them have a
-- return, in one currency (RULES 5). The months are those of risk, with the factors that are believed; a month with a break has no return.
-- The currency is that of the series if all their months have one and in_pesos is not set, else pesos: then the quotes are converted at the
-- dólar of their days as in valuation clp (RULES 1), and a month without these rates has no return.
--   series    ids; two or more
--   as_of     the last day
--   in_pesos  whether the returns are to be in pesos in any case
-- One row for each pair, in the order of the ids. correlation is null with a reason: under_24_months, or no_variation if the returns of one of the
-- two are all equal. own_months are how many months with a return each series has by itself, in the order of series.
WITH
    months AS
    (
        SELECT series_id, month, assumeNotNull(quote_date) AS closing, assumeNotNull(growth) AS multiple, assumeNotNull(opened) AS opening
        FROM
        (
            -- Before a month with a return is always the month whose quote it begins with.
            SELECT series_id, month, quote_date, growth, lagInFrame(quote_date) OVER (PARTITION BY series_id ORDER BY month ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS opened
            FROM series_month
            WHERE batch = {batch:UInt64} AND series_id IN {series:Array(UInt32)} AND month <= {as_of:Date}
        )
        WHERE growth IS NOT NULL AND quote_date IS NOT NULL AND opened IS NOT NULL
    ),
    priced AS
    (
        SELECT months.series_id AS series_id, month, closing, opening, multiple, quotes.currency AS currency
        FROM months
        INNER JOIN
        (
            SELECT series_id, date, toString(currency) AS currency
            FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
        ) AS quotes ON quotes.series_id = months.series_id AND quotes.date = months.closing
    ),
    rates AS (SELECT date, fx.date AS published, fx.value AS dolar FROM fx_uf_rate WHERE batch = {batch:UInt64}),
    -- Every month of every series is read once, because ClickHouse computes a WITH again for each use.
    valued AS
    (
        SELECT
            series_id, month, money,
            cuota_valued(converted ? 'clp' : 'accounting', multiple, 0, currency = 'DOLAR', opened.dolar, closed.dolar, NULL, NULL) AS return,
            ifNull(isFinite(return), false)
                AND cuota_rate_reason(false, converted AND currency = 'DOLAR', closing, closed.published, closed.dolar, NULL, opening, opened.published, opened.dolar, NULL) IS NULL AS has_return
        FROM
        (
            SELECT *, {in_pesos:Bool} OR uniqExact(currency) OVER () > 1 AS converted, if(converted, 'PESOS', any(currency) OVER ()) AS money
            FROM priced
        ) AS of_series
        LEFT JOIN rates AS opened ON opened.date = opening
        LEFT JOIN rates AS closed ON closed.date = closing
    ),
    by_month AS
    (
        SELECT
            month, any(money) AS money,
            CAST((groupArrayIf(series_id, has_return), groupArrayIf(assumeNotNull(return), has_return)), 'Map(UInt32, Float64)') AS list
        FROM valued
        GROUP BY month
    ),
    common AS
    (
        SELECT
            {series:Array(UInt32)} AS ids, any(money) AS money,
            arraySort(groupArrayIf((month, list), length(list) = length(ids))) AS months,
            arrayFlatten(groupArray(mapKeys(list))) AS with_return,
            arrayMap(id -> toUInt32(countEqual(with_return, id)), ids) AS own_months
        FROM by_month
    ),
    pairs AS
    (
        SELECT
            money, own_months, pair, ids[pair.1] AS a, ids[pair.2] AS b,
            arrayMap(m -> m.2[a], months) AS x, arrayMap(m -> m.2[b], months) AS y, arrayMap(m -> m.1, months) AS month_ends
        FROM common
        ARRAY JOIN arrayFlatten(arrayMap(first -> arrayMap(second -> (first, second), range(first + 1, length(ids) + 1)),
                                         range(1, length(ids) + 1))) AS pair
    )
SELECT
    a, b, toUInt32(length(x)) AS months, money AS currency,
    multiIf(months < 24, 'under_24_months',
            least(arrayReduce('stddevSampStable', x), arrayReduce('stddevSampStable', y)) < 1e-9, 'no_variation', NULL) AS reason,
    reason IS NULL ? arrayReduce('corrStable', x, y) : NULL AS correlation,
    arrayFirstOrNull(m -> true, month_ends) AS first_month, arrayLastOrNull(m -> true, month_ends) AS last_month,
    own_months
FROM pairs
ORDER BY pair
SETTINGS join_use_nulls = 0

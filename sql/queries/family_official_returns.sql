-- The mean of the returns of 1, 3 and 5 years that the regulator states, in its comparator, of the series of each
-- family. They are fractions, in pesos also for series in dollars, and per year if of 3 or 5 years. The mean is weighted
-- by the equity of the series on the day, in pesos. It has its coverage (RULES 7), and is null if too few series have a
-- return, or if the equity of a series cannot be converted. Series and families are those of the summary of the day.
--   as_of  the newest comparator up to this date counts; it may be later than the day
WITH
    members AS
    (
        SELECT
            family_rar, series_id, cuota_clp(currency, ifNull(equity, 0), dolar.value) AS converted,
            toDecimal128(ifNull(converted, 0), 4) AS pesos
        FROM batch_market_standing(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date}) AS market
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar
            ON dolar_date = market.stands_on
        WHERE stands_on = {date:Date} AND family_rar IS NOT NULL AND price IS NOT NULL
          AND currency IN ('PESOS', 'DOLAR') AND series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
    ),
    stated AS
    (
        SELECT
            series_id AS stated_series, run, date,
            arrayMap(percent -> toFloat64(toDecimal128(percent, 10) / 100),
                     [nominal_1y, nominal_3y, nominal_5y]) AS in_years
        FROM series_official_return_as_of(batch = {batch:UInt64}, as_of = {as_of:Date})
    ),
    grouped AS
    (
        SELECT
            family_rar AS family, count() AS of_series, max(date) AS comparator,
            countIf(converted IS NULL) > 0 ? NULL : sum(pesos) AS whole,
            -- Arrays are sorted by id, because sums of floats depend on the order.
            arrayMap(years -> arraySort(arrayFilter(m -> m.6 = years, groupArrayArrayIf(
                arrayMap((r, y) -> (series_id, toFloat64(pesos), ifNull(r, 0), run, pesos, r IS NULL ? 0 : y),
                         arrayResize(in_years, 3), [1, 3, 5]),
                pesos > 0))), [1, 3, 5]) AS known
        FROM members
        LEFT JOIN stated ON stated_series = series_id
        GROUP BY family_rar
    )
SELECT
    assumeNotNull(family) AS family, comparator, toUInt64(of_series) AS of_series,
    arrayMap(list -> cuota_covered_mean(list, whole), known)           AS returns,
    arrayMap(list -> toUInt64(length(list)), known)                    AS series,
    arrayMap(list -> cuota_equity_share(list, whole), known)           AS shares
FROM grouped
ORDER BY family

-- The level of the indices of some families on each calendar day of a period: that of the newest point on or before the
-- day, at most 7 days old (RULES 7). Points after the cutoff do not count. It has one row for each family and currency with any point in the period. ages and
-- levels have an item for each day; the age is -1 and the level 0 if there is none. starts are the days on which the index carries on after a longer gap, so
-- that levels before do not compare.
--   families, currencies  familia_rar and PESOS or DOLAR, at the same places
--   from, to              first and last day
--   cutoff                of the batch
WITH
    points AS
    (
        SELECT family_rar, currency, date, toFloat64(assumeNotNull(value)) AS level, change IS NULL AS starting
        FROM batch_family_index(batch = {batch:UInt64}, family = '')
        WHERE has(arrayZip({families:Array(String)}, {currencies:Array(String)}), (toString(family_rar), toString(currency)))
          AND date BETWEEN toDate({from:Date}) - 7 AND least({to:Date}, {cutoff:Date})
    ),
    days AS
    (
        SELECT family_rar, currency, arrayJoin(arrayMap(n -> toDate({from:Date}) + n, range(toUInt32(toDate({to:Date}) - toDate({from:Date}) + 1)))) AS day
        FROM (SELECT DISTINCT family_rar, currency FROM points)
    )
SELECT family, currency, sorted.2 AS ages, sorted.3 AS levels, arrayMap(d -> d.1, arrayFilter(d -> d.4, sorted)) AS starts
FROM
(
    SELECT
        toString(family_rar) AS family, toString(currency) AS currency,
        arraySort(groupArray((day, if(known, toInt32(day - point), -1), if(known, level, 0), known AND point = day AND starting))) AS sorted
    FROM
    (
        SELECT
            days.family_rar AS family_rar, days.currency AS currency, days.day AS day, points.date AS point,
            points.level AS level, points.starting AS starting, points.date != toDate(0) AND days.day - points.date <= 7 AS known
        FROM days
        ASOF LEFT JOIN points ON points.family_rar = days.family_rar AND points.currency = days.currency AND points.date <= days.day
        SETTINGS join_use_nulls = 0
    )
    GROUP BY family_rar, currency
)
ORDER BY family, currency

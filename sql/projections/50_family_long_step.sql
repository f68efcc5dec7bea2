-- Index steps of families that pass over days between, to the days between {from} and {to}
-- that this batch builds (RULES 7). A step begins on a day after which the next day with
-- quotes of the family gives the index no point. Steps lead from it to each later day, up
-- to seven days away, on which enough series count.
--
-- A series counts if it has a quote on both days and equity on the first, if it was in the
-- family at every quote since, and if its change since then is known and no outlier: within
-- the cap of its category, and not far from the changes of its peers (40_market_day). Its
-- peers are all series of the family on the day. Each has its change since the first day,
-- or since its previous quote if it has none on the first day.
--
-- A step whose series are too few to speak for the family (cuota_covers) is left out. Steps that can lead only to days
-- on which the family has too few series are not computed at all.
--
-- chunks: market_chunks
INSERT INTO family_long_step (date, family_rar, currency, build, previous_date, changes)
WITH
    days AS
    (
        SELECT date AS day, family_rar AS day_family, currency AS day_currency, equity AS day_equity, series, funds
        FROM batch_family_day(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})
    ),
    missed AS
    (
        SELECT family_rar AS missed_family, currency AS missed_currency, assumeNotNull(previous_date) AS opening, date AS missed_on
        FROM batch_family_day(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})
        WHERE previous_date IS NOT NULL AND chained_return IS NULL
          AND (family_rar, currency, date) IN
          (
              SELECT day_family, day_currency, day - arrayJoin(range(1, 7)) FROM days WHERE series >= 3 AND funds >= 2
          )
    ),
    quotes AS
    (
        -- For each series the quotes after the opening day, in order.
        SELECT
            missed_family, missed_currency, opening, missed_on, series_id,
            arraySort(groupArray((date, previous_date, toFloat64(previous_equity), daily_change / 100, spikes, unspikes, daily_cap, held))) AS list
        FROM
        (
            SELECT series_id, date, assumeNotNull(family_rar) AS family, currency, previous_date, previous_equity,
                   daily_change, spikes, unspikes, daily_cap, toDecimal128(ifNull(equity, 0), 4) AS held
            FROM batch_market_day(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date}) AS market
            INNER JOIN (SELECT category AS capped_category, daily AS daily_cap FROM outlier_cap) AS caps ON capped_category = ifNull(market.category, '')
            WHERE family_rar IS NOT NULL AND price IS NOT NULL
              AND (family_rar, currency) IN (SELECT missed_family, missed_currency FROM missed)
        ) AS members
        INNER JOIN missed ON missed_family = members.family AND missed_currency = members.currency
        WHERE date > opening AND date <= opening + 7
        GROUP BY missed_family, missed_currency, opening, missed_on, series_id
    ),
    spans AS
    (
        SELECT
            missed_family, missed_currency, opening, series_id,
            arrayJoin(arrayFilter(place -> list[place].1 > missed_on, arrayEnumerate(list))) AS place,
            arraySlice(list, 1, place) AS span,
            span[-1].1 AS reached,
            arrayAll((quote, before) -> ifNull(quote.2 = before, false),
                     span, arrayPushFront(arrayMap(quote -> quote.1, arrayPopBack(span)), opening)) AS from_opening,
            multiIf(NOT from_opening, span[-1].4,
                    arrayExists(quote -> quote.4 IS NULL, span), NULL,
                    arrayProduct(arrayMap(quote -> 1 + assumeNotNull(quote.4), span)) - 1) AS change,
            from_opening AND span[1].3 > 0          AS weighs,
            if(weighs, span[1].3, NULL)             AS equity,
            span[1].6 OR span[-1].5                 AS spike,
            span[-1].8                              AS held,
            if(abs(change) <= span[-1].7, change, NULL) AS believed
        FROM quotes
    ),
    centred AS
    (
        SELECT
            *,
            count(believed) OVER peers                       AS known,
            quantileExactInclusive(0.5)(believed) OVER peers AS median
        FROM spans
        WINDOW peers AS (PARTITION BY missed_family, missed_currency, opening, reached)
    ),
    spread AS
    (
        SELECT
            *,
            abs(believed - median)                                        AS distance,
            quantileExactInclusive(0.5)(abs(believed - median)) OVER peers AS mad
        FROM centred
        WINDOW peers AS (PARTITION BY missed_family, missed_currency, opening, reached)
    )
SELECT
    reached, missed_family, missed_currency, {batch:UInt64}, opening,
    arraySort(groupArray((series_id, assumeNotNull(equity), assumeNotNull(believed), run, held, spike))) AS counted
FROM spread
INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = spread.series_id
INNER JOIN days ON day_family = missed_family AND day_currency = missed_currency AND day = reached
WHERE weighs AND believed IS NOT NULL
  AND NOT (known >= 10 AND ifNull(distance > 0.005 AND (mad = 0 OR 0.6745 * distance / mad > 8), false))
  AND reached >= {from:Date} AND reached IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
GROUP BY reached, missed_family, missed_currency, opening
HAVING cuota_covers(counted, any(day_equity))

-- How completely the market has reported each day between {from} and {to} (RULES 1). Which series
-- are counted on a day depends on the last complete day before it, so the days come in order, and
-- those before {from} are in the table already.
--
-- Each row of a series is placed on the day of its next row, and, as missing, on the days of the
-- market between the two, up to the end that the series has stated. A series ends on the day that
-- the register has for its fund, and by an exchange or a stated end after its row. A row that
-- states neither quotas nor equity is the last one, unless another follows. A series without a quote
-- up to its row is missing for seven days only: the name in a row that could not be read may be wrong.
--
-- The report of a day is the same for every last complete day that is at most seven days before it. That report is made of
-- all days at once, which takes half of the time of making each after the one before it.
--
-- chunks: completeness_chunks
-- sets: as_of
INSERT INTO market_completeness
    (batch, date, rows, series, prior_series, present_series, void_series, prior_equity_clp, present_equity_clp, has_data, complete)
WITH
    -- 1970-01-01 if there is none.
    ifNull((SELECT max(date) FROM market_completeness WHERE batch = {batch:UInt64} AND complete AND date < {from:Date}), toDate(0)) AS last_complete,
    toDate('2149-06-06') AS never,
    ends AS
    (
        SELECT
            series_id AS ended_id,
            minIf(ended_on, by_register)        AS registered, -- 1970-01-01 if there is none
            groupArrayIf(ended_on, NOT by_register) AS stated
        FROM batch_series_end(batch = {batch:UInt64})
        GROUP BY series_id
    ),
    quotes AS
    (
        SELECT
            series_id, date, quota IS NOT NULL AS is_quote,
            ifNull(is_quote AND units_outstanding = 0 AND equity = 0, false) AS redeemed,
            lagInFrame(date, 1, toDate(0))              OVER so_far AS previous_date,
            leadInFrame(date, 1, never)                 OVER next   AS next_date,
            leadInFrame(quota IS NOT NULL)              OVER next   AS next_is_quote,
            maxIf(date, quota IS NOT NULL)              OVER so_far AS quoted_on, -- 1970-01-01 if no quote was read
            argMaxIf((currency, equity), date, quota IS NOT NULL) OVER so_far AS said
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date BETWEEN least(last_complete, toDate({from:Date}) - 7) AND {to:Date}
        WINDOW
            next   AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING),
            so_far AS (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    ),
    -- The first quotes of series whose first row in these days could not be read.
    first_quotes AS
    (
        SELECT series_id AS quoted_id, min(date) AS first_quoted
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date <= {to:Date} AND quota IS NOT NULL
          AND series_id IN
          (
              SELECT series_id FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
              WHERE date BETWEEN least(last_complete, toDate({from:Date}) - 7) AND {to:Date}
              GROUP BY series_id
              HAVING argMin(quota IS NULL, date)
          )
        GROUP BY series_id
    ),
    followed AS
    (
        -- Rows that are alike, with the number of their series.
        SELECT
            quotes.date AS date, is_quote, previous_date = toDate(0) AS is_first, next_date, next_is_quote, quoted_on,
            least(next_date, if(redeemed, quotes.date + 1, never), if(ends.registered > toDate(0), ends.registered, never),
                  if(quoted_on = toDate(0) AND (first_quoted = toDate(0) OR first_quoted > quotes.date), quotes.date + 8, never),
                  arrayMin(arrayPushBack(arrayFilter(day -> day > quotes.date, ends.stated), never))) AS missing_until,
            count() AS series,
            ifNull(sum(cuota_clp(said.1, said.2, dolar.value)), toDecimal128(0, 10)) AS equity
        FROM quotes
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = quoted_on
        LEFT JOIN ends ON ended_id = quotes.series_id
        LEFT JOIN first_quotes ON quoted_id = quotes.series_id
        GROUP BY ALL
    ),
    cells AS
    (
        SELECT place.1 AS on_date, place.2 AS newest, place.3 AS quoted,
               sum(place.4) AS present, sum(place.5) AS missing, sum(place.6) AS void, sum(place.7) AS present_equity, sum(place.8) AS missing_equity
        FROM
        (
            SELECT arrayJoin(arrayConcat(
                if(is_first AND date >= {from:Date},
                   [(date, date, toDate(0), series, toUInt64(0), if(is_quote, 0, series), toDecimal128(0, 10), toDecimal128(0, 10))], []),
                if(next_date BETWEEN {from:Date} AND {to:Date},
                   [(next_date, date, quoted_on, series, toUInt64(0), if(next_is_quote, 0, series), equity, toDecimal128(0, 10))], []),
                arrayMap(
                    n -> (greatest(date + 1, toDate({from:Date})) + n, date, quoted_on, toUInt64(0), series, toUInt64(0), toDecimal128(0, 10), equity),
                    range(toUInt32(greatest(0, least(missing_until, toDate({to:Date}) + 1) - greatest(date + 1, toDate({from:Date})))))))) AS place
            FROM followed
        )
        GROUP BY on_date, newest, quoted
    )
SELECT {batch:UInt64}, report.1, report.2, report.3, report.4, report.2, report.5, report.6, report.7, report.8, report.9
FROM
(
    SELECT arrayJoin(arrayFold(
        (judged, day) -> arrayMap(
            report -> (if(report.9, report.1, judged.1), arrayPushBack(judged.2, report)),
            [if(judged.1 >= day.1.1 - 7, day.2, cuota_market_report(day.1, judged.1))])[1],
        arrayMap(day -> (day, cuota_market_report(day, day.1)), market_days),
        (last_complete, CAST([], 'Array(Tuple(Date, UInt64, UInt64, UInt64, UInt64, Decimal(38, 10), Decimal(38, 10), Bool, Bool))'))).2) AS report
    FROM
    (
        SELECT arraySort(groupArray((on_date, rows, toUInt64(rows - rejected), cells_of_day))) AS market_days
        FROM
        (
            SELECT on_date, sum(present) AS rows, sum(void) AS rejected,
                   groupArray((newest, quoted, present, missing, present_equity, missing_equity)) AS cells_of_day
            FROM cells
            GROUP BY on_date
            HAVING rows > 0 -- the others are no days of the market
        )
    )
)

-- The histories of exchanged series, each joined with the histories of the series into
-- which its quotas were exchanged, as far as the walk of exchanges leads (continuation). A
-- part lasts from the day on which its exchange is effective to the day before the next
-- exchange.
--
-- Breaks are those between two quotes of a part, curated ones on any day of a part, and,
-- between the last quote of a part and the first quote of the next part that has any, a
-- change of currency or more than 31 days. Void rows have no currency, so a part that has
-- only such rows is left out when currencies are compared. A factor de ajuste is judged
-- together with the factors.
INSERT INTO continued_history (batch, series_id, quotes, breaks)
WITH
    parts AS
    (
        SELECT series_id, p.1 AS part, p.2 AS part_id, p.3 AS first_day, p.4 AS last_day
        FROM
        (
            SELECT
                series_id,
                arraySort(h -> h.1, groupArray((hop, effective_date, destination_id, flaw))) AS hops,
                arrayFilter(h -> h.4 = '', hops) AS walked,
                arrayMap((number, id, first, next) -> (toUInt8(number), id, first, next - 1),
                         range(length(walked) + 1),
                         arrayPushFront(arrayMap(h -> h.3, walked), series_id),
                         arrayPushFront(arrayMap(h -> h.2, walked), toDate(1)),
                         arrayPushBack(arrayMap(h -> h.2, walked), if(hops[-1].4 = '', toDate('2149-06-06'), hops[-1].2))) AS list
            FROM continuation
            WHERE batch = {batch:UInt64}
            GROUP BY series_id
        )
        ARRAY JOIN list AS p
    ),
    quoted AS
    (
        SELECT
            series_id, part,
            groupArray((part, date, quota, toString(currency))) AS quotes,
            min(date) AS first_quote, argMinIf(toString(currency), date, currency != '') AS first_currency,
            max(date) AS last_quote,  argMaxIf(toString(currency), date, currency != '') AS last_currency
        FROM parts
        INNER JOIN
        (
            SELECT series_id AS part_id, date, quota, currency
            FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
            WHERE series_id IN (SELECT arrayJoin([series_id, destination_id]) FROM continuation WHERE batch = {batch:UInt64})
        ) AS days USING (part_id)
        WHERE date BETWEEN first_day AND last_day
        GROUP BY series_id, part
    ),
    followed AS
    (
        SELECT
            series_id, part, quotes, first_quote, first_currency,
            lagInFrame(last_quote) OVER in_order AS earlier_quote,
            last_value(nullIf(last_currency, '')) IGNORE NULLS OVER all_before AS earlier_currency,
            row_number() OVER in_order AS place
        FROM quoted
        WINDOW
            in_order AS (PARTITION BY series_id ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
            all_before AS (PARTITION BY series_id ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ),
    known AS
    (
        SELECT series_id AS part_id, groupArray((date, toString(kind))) AS list
        FROM discontinuity
        WHERE batch = {batch:UInt64} AND kind != 'adjustment'
          AND series_id IN (SELECT arrayJoin([series_id, destination_id]) FROM continuation WHERE batch = {batch:UInt64})
        GROUP BY series_id
    )
SELECT
    {batch:UInt64},
    series_id,
    arraySort(quote -> quote.2, groupArrayArray(quotes)), -- no day is in two parts
    arraySort(groupArrayArray(arrayConcat(
        arrayMap(b -> (part, b.1, b.2), arrayFilter(b -> b.1 BETWEEN first_day AND last_day AND (b.2 = 'curated' OR b.1 > first_quote), list)),
        arrayMap(kind -> (part, first_quote, kind), arrayFilter(kind -> kind != '' AND place > 1,
            [if(first_currency != '' AND ifNull(first_currency != earlier_currency, 0), 'currency_change', ''), if(first_quote - earlier_quote > 31, 'gap', '')])))))
FROM parts
LEFT JOIN followed USING (series_id, part)
LEFT JOIN known USING (part_id)
GROUP BY series_id

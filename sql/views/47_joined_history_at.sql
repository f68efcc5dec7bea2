-- The histories of exchanged series up to a date, as batch N sees them, each
-- joined with those of the series that its holdings go on in: one row per series
-- and end date with an exchange on or before it. The end dates are the two that
-- return windows have: as_of, and the month end on or before it. An empty list of
-- series means all of them.
--   SELECT * FROM joined_history_at(batch = 7, as_of = '2024-02-29', series = [])
--
-- parts holds what the history consists of: number from 0, series, first and last
-- day. stop says why an exchange is not followed; the history then ends before
-- it. followed holds the exchanges between the parts. end_quote is the newest
-- quote: day, value, currency. breaks are those inside the joined history, but
-- for adjustments: of a destination those between two quotes from its first day
-- on, and curated ones; and of currency or time where one part follows another.
CREATE OR REPLACE VIEW joined_history_at AS
WITH
    if(toDate({as_of:Date}) = toLastDayOfMonth({as_of:Date}), toDate({as_of:Date}), toLastDayOfMonth(subtractMonths({as_of:Date}, 1))) AS closed_month_end,
    walks AS
    (
        SELECT
            series_id,
            arraySort(h -> h.1, groupArray((hop, effective_date, destination_id, ambiguous_from, flaw))) AS hops,
            arraySort(h -> h.1, groupArray((hop, effective_date, valuation_date, factor, event_id, event_revision, origin_run, origin_serie,
                                            destination_run, destination_serie, evidence_url, evidence_sha256))) AS events
        FROM continuation
        WHERE batch = {batch:UInt64} AND (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)})
        GROUP BY series_id
    ),
    chains AS
    (
        SELECT
            series_id, until,
            arraySlice(hops, 1, arrayFirstIndex(h -> h.2 > until, arrayPushBack(hops, (0, toDate('2149-06-06'), 0, NULL, ''))) - 1) AS reached,
            arrayMap(h -> if(ifNull(h.4 <= until, 0), 'ambiguous_continuation', toString(h.5)), reached) AS reasons,
            arrayFirst(reason -> reason != '', reasons) AS stop,
            arrayFilter((h, reason) -> reason = '', reached, reasons) AS walked,
            arraySlice(events, 1, length(walked)) AS followed,
            arrayMap((number, id, first, next) -> (number, id, first, next - 1),
                     range(length(walked) + 1),
                     arrayPushFront(arrayMap(h -> h.3, walked), series_id),
                     arrayPushFront(arrayMap(h -> h.2, walked), toDate(1)),
                     arrayPushBack(arrayMap(h -> h.2, walked), if(stop = '', until + 1, reached[-1].2))) AS parts
        FROM walks
        ARRAY JOIN arrayDistinct([toDate({as_of:Date}), closed_month_end]) AS until
        WHERE notEmpty(reached)
    ),
    quoted AS
    (
        SELECT
            series_id, until, part, any(stop) AS stop, any(followed) AS followed, any(parts) AS parts, part.2 AS part_id,
            minIf(date, inside)                                              AS first_quote,
            argMinIf(currency, date, inside AND currency != '')              AS first_currency,
            argMaxIf((date, toFloat64(quota), toString(currency)), date, inside) AS last_quote,
            argMaxIf(currency, date, inside AND currency != '')              AS last_currency
        FROM
        (
            SELECT chains.series_id AS series_id, until, stop, followed, parts, part, quotes.date AS date, quota, currency,
                   quotes.date >= part.3 AND quotes.date <= part.4 AS inside
            FROM (SELECT series_id, until, stop, followed, parts, part, part.2 AS part_id FROM chains ARRAY JOIN parts AS part) AS chains
            LEFT JOIN
            (
                SELECT series_id AS part_id, date, quota, currency
                FROM series_day_of(batch = {batch:UInt64}, series = [])
                WHERE date <= {as_of:Date} AND series_id IN
                (
                    SELECT arrayJoin([series_id, destination_id]) FROM continuation
                    WHERE batch = {batch:UInt64} AND (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)})
                )
            ) AS quotes USING (part_id)
        )
        GROUP BY series_id, until, part
    ),
    judged AS
    (
        SELECT
            *,
            arrayFilter(b -> b.1 <= part.4 AND (b.1 > first_quote OR (b.2 = 'curated' AND b.1 >= part.3)), part_breaks.list) AS inner_breaks
        FROM quoted
        LEFT JOIN
        (
            SELECT series_id AS part_id, groupArray((date, toString(kind))) AS list
            FROM series_break
            WHERE batch = {batch:UInt64} AND kind != 'adjustment' AND series_id IN
                  (SELECT arrayJoin([series_id, destination_id]) FROM continuation WHERE batch = {batch:UInt64})
            GROUP BY series_id
        ) AS part_breaks USING (part_id)
    )
SELECT
    series_id,
    until,
    any(stop)             AS stop,
    any(followed)         AS followed,
    any(parts)            AS parts,
    arraySort(groupArrayIf((part.1, first_quote, toString(first_currency), last_quote, toString(last_currency)), last_quote.1 != toDate(0))) AS quotes,
    quotes[-1].4          AS end_quote,
    arrayConcat(
        groupArrayArray(inner_breaks),
        arrayFilter(b -> b.2 != '', arrayFlatten(arrayMap(
            (earlier, later) -> [(later.2, if(later.3 != earlier.5, 'currency_change', '')),
                                 (later.2, if(later.2 - earlier.4.1 > 31, 'gap', ''))],
            arrayPopBack(quotes), arrayPopFront(quotes))))) AS breaks
FROM judged
GROUP BY series_id, until

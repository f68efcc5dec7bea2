-- The histories of exchanged series up to a date, as batch N sees them, each joined with
-- the histories of the series into which its quotas were exchanged. There is one row for
-- each series and end date with an exchange on or before it. The end dates are the two at
-- which return windows end: as_of, and the month end on or before it. It covers the series
-- in the list, or every series if all_series is set.
--   SELECT * FROM joined_history_as_of(batch = 7, as_of = '2024-02-29', series = [], all_series = true)
--
-- parts lists the parts of the history: number from 0, series, first and last day. followed
-- lists the exchanges between the parts. stop says why an exchange is not followed: the
-- history then ends before it. end_quote is the newest quote, and breaks are those inside
-- the history, both as in continued_history.
CREATE OR REPLACE VIEW joined_history_as_of AS
WITH
    cuota_closed_month_end(toDate({as_of:Date})) AS closed_month_end,
    walks AS
    (
        SELECT
            series_id,
            arraySort(h -> h.1, groupArray((hop, effective_date, destination_id, ambiguous_from, flaw))) AS hops,
            arraySort(h -> h.1, groupArray((hop, effective_date, valuation_date, factor, event_id, event_revision, origin_run, origin_serie,
                                            destination_run, destination_serie, evidence_url, evidence_sha256))) AS events
        FROM continuation
        WHERE batch = {batch:UInt64} AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
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
    )
SELECT
    chains.series_id AS series_id,
    until,
    stop,
    followed,
    parts,
    arrayLast(q -> q.part < length(parts) AND q.date <= until, quotes)   AS end_quote,
    arrayFilter(b -> b.part < length(parts) AND b.date <= until, breaks) AS breaks
FROM chains
LEFT JOIN (SELECT series_id, quotes, breaks FROM continued_history WHERE batch = {batch:UInt64}) AS whole USING (series_id)
SETTINGS join_use_nulls = 0

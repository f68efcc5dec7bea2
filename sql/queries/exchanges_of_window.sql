-- The exchanges out of a series on which its total return over a window depends, in their order: those that are followed by
-- the day of the quote at the end and, where the history stops before the window ends, the one that is not followed, as in
-- joined_history_as_of. destination_id is the series that is held from effective_date on.
--   until  end that the window asks for
--   last   day of the quote at the end; until, if it is not known
SELECT event_id, effective_date, destination_id, toBool(hop < stopping) AS followed
FROM
(
    SELECT
        hop, event_id, effective_date, destination_id,
        max(effective_date) OVER (ORDER BY hop) AS reached,
        min(if(flaw = '' AND ifNull(ambiguous_from > {until:Date}, 1), 255, hop)) OVER () AS stopping
    FROM continuation
    WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
)
WHERE hop <= stopping AND reached <= {until:Date} AND effective_date <= {last:Date}
ORDER BY hop

-- The exchanges that the holdings of a series go through: from each origin of an exchange,
-- the walk from destination to destination, forward only (RULES 1). If several exchanges
-- leave one series, the first effective one is followed, for windows that end before the
-- second.
--
-- A walk ends with an exchange that is not followed: one that leads back, the sixth, and an
-- invalid one. An exchange is invalid if it has no factor above 0, if it was valued after
-- it became effective, if it is effective before its origin was itself received, or if its
-- destination has no valid quote on the day of valuation.
INSERT INTO continuation
    (batch, series_id, hop, origin_id, destination_id, effective_date, ambiguous_from, flaw, event_id, event_revision,
     origin_run, origin_serie, destination_run, destination_serie, valuation_date, factor, evidence_url, evidence_sha256)
WITH
    outgoing AS
    (
        SELECT
            origin_id, destination_id, effective_date, event_id, valuation_date, factor,
            leadInFrame(toNullable(effective_date)) OVER (PARTITION BY origin_id ORDER BY effective_date, event_id
                                                          ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS ambiguous_from,
            factor > 0 AND valuation_date <= effective_date AND (destination_id, valuation_date) IN
            (
                SELECT series_id, date
                FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
                WHERE (series_id, date) IN (SELECT destination_id, valuation_date FROM batch_exchange(batch = {batch:UInt64}))
                  AND quota > 0
            ) AS sound
        FROM batch_exchange(batch = {batch:UInt64})
        ORDER BY effective_date, event_id
        LIMIT 1 BY origin_id
    ),
    (
        SELECT groupArray(CAST(
            (origin_id, destination_id, effective_date, ambiguous_from, sound, event_id),
            'Tuple(origin_id UInt32, destination_id UInt32, effective_date Date, ambiguous_from Nullable(Date), sound Bool, event_id String)'))
        FROM outgoing
    ) AS exchanges,
    walks AS
    (
        -- Each step appends the exchange that leaves the last destination.
        SELECT
            arrayFold((walked, step) -> arrayConcat(walked, arrayFilter(
                          next -> length(walked) = step AND next.origin_id = walked[-1].destination_id, exchanges)),
                      range(1, 6), [first]) AS walk,
            arrayMap((hop, place) -> multiIf(
                has(arrayMap(passed -> passed.origin_id, arraySlice(walk, 1, place)), hop.destination_id), 'continuation_cycle',
                place > 5, 'continuation_limit',
                NOT hop.sound OR (place > 1 AND hop.effective_date < walk[place - 1].effective_date), 'invalid_continuation',
                ''), walk, arrayEnumerate(walk)) AS flaws
        FROM (SELECT arrayJoin(exchanges) AS first)
    )
SELECT
    {batch:UInt64}, walk[1].origin_id, place, hop.origin_id, hop.destination_id, hop.effective_date, hop.ambiguous_from, flaw,
    event_id, events.event_revision, cuota_rol(events.origin_run), events.origin_serie, cuota_rol(events.destination_run),
    events.destination_serie, events.valuation_date, events.factor, events.evidence_url, events.evidence_sha256
FROM
(
    SELECT walk, place, hop, flaw, hop.event_id AS event_id
    FROM walks
    ARRAY JOIN walk AS hop, flaws AS flaw, arrayEnumerate(walk) AS place
    WHERE NOT arrayExists(earlier -> earlier != '', arraySlice(flaws, 1, place - 1))
) AS walked
INNER JOIN batch_exchange(batch = {batch:UInt64}) AS events USING (event_id)

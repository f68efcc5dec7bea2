-- The first day on which verified factors keep a total return from having a value, for a reason that batch_total_return
-- gave, and the series that was held on it. No row for any other reason.
--   as_of   end of the windows
--   until   end that the window asks for
--   start   day of the quote at the start
--   last    day of the quote at the end; until, if it is not known
--   reason  as in missing_factor_coverage
WITH
    (
        SELECT any(parts)
        FROM joined_history_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [{series_id:UInt32}], all_series = false)
        WHERE until = {until:Date}
    ) AS joined,
    spans AS
    (
        -- The days that need factors, as in batch_total_return, and the first day of the part and of the next one.
        SELECT p.1 AS part, p.2 AS part_id, greatest(p.3, {start:Date} + 1) AS first_day, least(p.4, {last:Date}) AS last_day, [p.3, p.4 + 1] AS exchanged_on
        FROM (SELECT arrayJoin(if(empty(joined), [(0, {series_id:UInt32}, toDate(1), {last:Date})], joined)) AS p)
        WHERE p.3 <= {last:Date}
    ),
    found AS
    (
        SELECT
            part, part_id, first_day, last_day, factors.first_date AS first_date, factors.last_date AS last_date,
            arrayMap(f -> f.1, arrayFilter(f -> has(exchanged_on, f.1), factors.factors)) AS exchanged,
            arrayMap(d -> d.1, arrayFilter(d -> d.2 = {reason:String} AND d.1 BETWEEN first_day AND last_day, factors.defects)) AS defective,
            arrayMap(g -> greatest(g.1 + 1, first_day), arrayFilter(g -> g.1 < last_day AND g.2 > first_day, factors.gaps)) AS gaps
        FROM spans
        LEFT JOIN factor_history_as_of(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false, until = {as_of:Date}) AS factors
            ON factors.series_id = spans.part_id
    )
SELECT part_id AS series_id, day
FROM found
ARRAY JOIN multiIf(
    {reason:String} = 'ambiguous_exchange_distribution', exchanged,
    first_day > last_day, [],
    {reason:String} != 'missing_factor_coverage', defective,
    first_date > first_day OR last_date < first_day, [first_day],
    last_date < last_day, arrayPushBack(gaps, last_date + 1),
    gaps) AS day
ORDER BY day, part
LIMIT 1
SETTINGS join_use_nulls = 0

-- The series that give a step of the index of a family, in the order of their ids (RULES 7): those of the daily changes if
-- the step leads from one day with quotes of the family to the next one, else those of the step over the days between.
--   family    familia_rar, exactly as written
--   currency  PESOS or DOLAR
--   previous, date  days between which the step leads
SELECT series_id
FROM
(
    SELECT arrayJoin(arrayMap(m -> m.1, arrayFilter(m -> ifNull(m.6 = toDate({previous:Date}), false) AND NOT m.7, daily))) AS series_id
    FROM batch_family_change(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date}, current_only = false)
    WHERE family_rar = {family:String} AND currency = {currency:String} AND
    (
        SELECT count() > 0
        FROM batch_family_day(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})
        WHERE family_rar = {family:String} AND currency = {currency:String} AND previous_date = {previous:Date}
    )
    UNION ALL
    SELECT arrayJoin(arrayMap(m -> m.1, arrayFilter(m -> NOT m.6, changes)))
    FROM batch_family_long_step(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})
    WHERE family_rar = {family:String} AND currency = {currency:String} AND previous_date = {previous:Date}
)
ORDER BY series_id

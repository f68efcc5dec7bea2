-- For each series and day, the row of the daily market that counts on the day, as batch N
-- sees it: the newest row of the day or of the seven days before, void or not, unless the
-- series has ended by then (stands_until). stands_on is the day on which the row counts,
-- and date is the row's own day. Family and category are those of stands_on: if a classification came into force
-- since the row's own day, it counts (restated). Sums of what is held on a day (equity, shareholders, series,
-- funds) read this view. Changes and flows of a day read only the rows of the day itself.
--   SELECT * FROM batch_market_standing(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_market_standing AS
SELECT
    * EXCEPT (restated, said)
    REPLACE (
        if(said.1 = toDate(0), family_rar, nullIf(said.2, ''))     AS family_rar,
        if(said.1 = toDate(0), family_display, nullIf(said.3, '')) AS family_display,
        if(said.1 = toDate(0), category, nullIf(said.4, ''))       AS category,
        if(said.1 = toDate(0), classified_later, said.5)           AS classified_later
    )
FROM
(
    SELECT
        arrayJoin(arrayMap(n -> greatest(date, toDate({from:Date})) + n,
                           range(toUInt16(least(stands_until, toDate({to:Date})) - greatest(date, toDate({from:Date})) + 1)))) AS stands_on,
        arrayLast(stated -> stated.1 <= stands_on, restated) AS said, -- of 1970-01-01 if there is none
        *
    FROM batch_market_day(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})
    WHERE stands_until >= {from:Date}
)

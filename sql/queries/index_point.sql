-- The newest point of the index of a family up to a day, with the point before it (RULES 7).
--   family    familia_rar, exactly as written
--   currency  PESOS or DOLAR
--   until     the day
-- change is in percent points, and null where previous_date is: at the base of 100, and where the level carries on after a
-- longer gap. date_before and level_before are those of the point before, null of the first point.
SELECT date, value, 100 * step AS change, previous_date, date_before, level_before
FROM
(
    SELECT
        date, assumeNotNull(value) AS value, step, previous_date,
        lagInFrame(toNullable(date)) OVER before AS date_before, lagInFrame(toNullable(value)) OVER before AS level_before
    FROM index_day
    WHERE batch = {batch:UInt64} AND family_rar = {family:String} AND currency = {currency:String}
      AND date <= {until:Date} AND index_day.value IS NOT NULL
    WINDOW before AS (ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
ORDER BY date DESC
LIMIT 1

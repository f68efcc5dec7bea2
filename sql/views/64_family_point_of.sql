-- The days on which the index of a family and currency has a point, and what it
-- did since the one before, as batch N sees them (RULES 7): the first day with
-- quotes, on which the index is 100, then each day with an eligible series. An
-- empty family means all of them.
--   SELECT * FROM family_point_of(batch = 7, family = 'Accionario nacional') WHERE currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW family_point_of AS
SELECT family_rar, currency, date, is_first, if(is_first, 0, assumeNotNull(chained_return)) AS step
FROM
(
    SELECT
        family_rar, currency, date, chained_return,
        row_number() OVER (PARTITION BY family_rar, currency ORDER BY date) = 1 AS is_first
    FROM family_day_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    WHERE {family:String} = '' OR family_rar = {family:String}
)
WHERE is_first OR chained_return IS NOT NULL

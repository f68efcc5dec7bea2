-- The chained index of each family and currency as batch N sees it (RULES 7): 100
-- on the first day with quotes, then a point on each day with an eligible series.
--   SELECT * FROM family_index_of(batch = 7, family = 'Accionario nacional') WHERE currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW family_index_of AS
SELECT family_rar, currency, date, value, change
FROM
(
    SELECT
        family_rar, currency, date, is_first, chained_return,
        100 * exp(sum(log1p(if(is_first, 0, ifNull(chained_return, 0)))) OVER chain) AS value,
        if(is_first, NULL, 100 * chained_return) AS change
    FROM
    (
        SELECT family_rar, currency, date, chained_return, row_number() OVER (PARTITION BY family_rar, currency ORDER BY date) = 1 AS is_first
        FROM family_day_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
        WHERE family_rar = {family:String}
    )
    WINDOW chain AS (PARTITION BY family_rar, currency ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
WHERE is_first OR chained_return IS NOT NULL

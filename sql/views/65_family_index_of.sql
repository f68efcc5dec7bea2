-- The chained index of each family and currency as batch N sees it (RULES 7): 100
-- on the first day with quotes, then a point on each day with an eligible series.
--   SELECT * FROM family_index_of(batch = 7, family = 'Accionario nacional') WHERE currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW family_index_of AS
SELECT
    family_rar, currency, date,
    100 * exp(sum(log1p(step)) OVER (PARTITION BY family_rar, currency ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) AS value,
    if(is_first, NULL, 100 * step) AS change
FROM family_point_of(batch = {batch:UInt64}, family = {family:String})

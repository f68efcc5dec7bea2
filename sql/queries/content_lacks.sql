-- Of how many series of the screener some facts are not known: family, category, investor
-- class, cost rate, currency, return of one year, and rating.
SELECT
    count() AS series,
    countIf(family_rar IS NULL) AS family,
    countIf(category IS NULL)   AS category,
    countIf(class_dated IS NULL AND class_tac IS NULL) AS investor_class,
    countIf(tac IS NULL)        AS tac,
    countIf(currency IS NULL)   AS currency,
    countIf(return_1y IS NULL)  AS return_1y,
    countIf(spheres IS NULL)    AS spheres
FROM screener
WHERE batch = {batch:UInt64}

-- The families that a text means, ignoring case and accents, and their currencies (RULES 6). A family with
-- exactly this name comes before all others. The currency with most equity in pesos on the family's latest day comes first. Currencies
-- that the family no longer has come last.
--   family  the text; empty: all families
--   to      last day to consider
SELECT family_rar, currency
FROM
(
    SELECT family_rar, currency, argMax(equity, date) AS last_equity, max(date) AS last_date,
           max(last_date) OVER (PARTITION BY family_rar) AS family_date
    FROM batch_family_day(batch = {batch:UInt64}, from = '1971-01-01', to = {to:Date})
    WHERE {family:String} = '' OR cuota_fold(family_rar) = cuota_fold({family:String})
    GROUP BY family_rar, currency
) AS families
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = families.last_date
ORDER BY family_rar = {family:String} DESC, last_date = family_date DESC, cuota_clp(currency, last_equity, dolar.value) DESC NULLS LAST, currency DESC

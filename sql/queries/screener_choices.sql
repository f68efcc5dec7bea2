-- The values by which the filters of market.sql select series alive at the cutoff: one row for
-- each parameter and value, with the number of series that have exactly this value.
SELECT parameter, value, count() AS series
FROM
(
    SELECT
        arrayJoin([('category',          CAST(category AS Nullable(String))),
                   ('currency',          CAST(currency AS Nullable(String))),
                   ('fund_family',       CAST(family_rar AS Nullable(String))),
                   ('investor_class',    CAST(coalesce(class_dated, class_tac) AS Nullable(String))),
                   ('administrator',     CAST(manager AS Nullable(String))),
                   ('cmf_family',        CAST(family_rar AS Nullable(String))),
                   ('cmf_investor_type', CAST(class_dated AS Nullable(String)))]) AS choice,
        choice.1 AS parameter,
        choice.2 AS given
    FROM screener
    WHERE batch = {batch:UInt64}
)
WHERE given != ''
GROUP BY parameter, assumeNotNull(given) AS value
ORDER BY parameter, value

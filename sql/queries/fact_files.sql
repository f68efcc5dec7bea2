-- The files that stored facts name as their source, with the tables that have such facts. Void
-- rows and facts of files that have not arrived completely count too.
SELECT sha256, arrayStringConcat(arraySort(groupUniqArray(of_table)), ', ') AS tables, sum(facts) AS rows
FROM
(
    SELECT 'fact_quota' AS of_table, toString(source_sha256) AS sha256, count() AS facts FROM fact_quota GROUP BY sha256
    UNION ALL
    SELECT 'fact_investment_value', toString(source_sha256) AS sha256, count() FROM fact_investment_value GROUP BY sha256
    UNION ALL
    -- Every other table of facts.
    SELECT toString(_table), toString(source_sha256) AS sha256, count()
    FROM merge(currentDatabase(), (SELECT pattern FROM keyed_fact_table)) GROUP BY _table, sha256
)
GROUP BY sha256
ORDER BY sha256

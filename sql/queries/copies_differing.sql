-- The plans of which a copy announced other checksums than the copy that was first, the newest ones of each copy. Of
-- several announcements by a copy its last one counts. Those without checksums are of copies without a name, and say
-- nothing.
WITH announced AS
(
    SELECT plan, place, copy, arrayZip(tables, checksums) AS sums FROM plan_built FINAL WHERE notEmpty(tables)
)
SELECT
    copy, plan, first_copy,
    arraySort(arrayDistinct(arrayMap(sum -> toString(sum.1), arrayConcat(
        arrayFilter(sum -> NOT has(first_sums, sum), last_sums),
        arrayFilter(sum -> NOT has(last_sums, sum), first_sums))))) AS tables
FROM (SELECT copy, plan, argMax(sums, place) AS last_sums FROM announced GROUP BY copy, plan) AS said
INNER JOIN
(
    SELECT plan, argMin(copy, place) AS first_copy, argMin(sums, place) AS first_sums FROM announced GROUP BY plan
) AS decided USING (plan)
WHERE notEmpty(tables)
ORDER BY copy, plan DESC
LIMIT 5 BY copy
LIMIT 1000

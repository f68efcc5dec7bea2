-- The views with parameters that the user may read, with their parameters. ClickHouse lists no columns
-- of such a view.
SELECT
    database, name, comment,
    arrayMap(p -> p.1, parameterized_view_parameters)                                            AS parameters,
    arrayStringConcat(arrayMap(p -> concat(p.1, ' ', p.2), parameterized_view_parameters), ', ') AS arguments
FROM system.tables
WHERE notEmpty(parameterized_view_parameters)
ORDER BY database, name
LIMIT 1000
FORMAT JSONEachRow

-- What a SELECT reads, also in its subqueries: tables, views and table functions, as
-- ClickHouse resolves their names. {select} stands for the SELECT. The statement fails if
-- the SELECT has a name that ClickHouse does not know.
--
-- ClickHouse computes the scalar subqueries of the SELECT. Therefore the SELECT is about a
-- batch without rows. Without the setting, ClickHouse would replace a large scalar by a
-- reference, and the result would lack the tables that the scalar comes from.
SELECT DISTINCT
    arrayElement(splitByChar('.', extract(explain, 'table(?:_function)?_name: ([^, ]+)')), -1) AS name,
    match(explain, '^ *TABLE_FUNCTION ') AS function
FROM
(
    EXPLAIN QUERY TREE run_passes = 1, passes = 1
    {select}
)
WHERE match(explain, '^ *TABLE(_FUNCTION)? id: ')
  AND NOT match(explain, 'table_name: (system[.]one|_temporary_and_external_tables[.])')
ORDER BY name
SETTINGS enable_scalar_subquery_optimization = 0

-- What a SELECT reads, also in its subqueries: tables, views and table functions, as
-- ClickHouse resolves their names. The SELECT is put in place of {select}. ClickHouse fails
-- if it knows a name of the SELECT not.
--
-- ClickHouse computes scalar subqueries meanwhile. So the batch that is asked about has no
-- rows. Without the setting, ClickHouse would put a reference in place of a large scalar,
-- and not tell from which tables it came.
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

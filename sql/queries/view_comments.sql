-- The statements that copy the column comments of each table X to the view current_X, so
-- that DESCRIBE shows units and rules for the view too.
SELECT
    format('ALTER TABLE {} {}', views.table, arrayStringConcat(
        groupArray(format('COMMENT COLUMN `{}` ''{}''', views.name, replaceAll(replaceAll(tables.comment, '\\', '\\\\'), '''', ''''''))), ', '))
FROM (SELECT table, name FROM system.columns WHERE database = currentDatabase() AND startsWith(table, 'current_') AND comment = '') AS views
INNER JOIN (SELECT table, name, comment FROM system.columns WHERE database = currentDatabase() AND comment != '') AS tables
    ON tables.table = substring(views.table, 9) AND tables.name = views.name
GROUP BY views.table
ORDER BY views.table

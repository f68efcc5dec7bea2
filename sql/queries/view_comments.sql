-- The statements that give the columns of each view current_X the comments of the
-- table X: DESCRIBE then tells unit and rule of the view as well.
SELECT
    format('ALTER TABLE {} {}', views.table, arrayStringConcat(
        groupArray(format('COMMENT COLUMN `{}` ''{}''', views.name, replaceAll(replaceAll(tables.comment, '\\', '\\\\'), '''', ''''''))), ', '))
FROM (SELECT table, name FROM system.columns WHERE database = currentDatabase() AND startsWith(table, 'current_') AND comment = '') AS views
INNER JOIN (SELECT table, name, comment FROM system.columns WHERE database = currentDatabase() AND comment != '') AS tables
    ON tables.table = substring(views.table, 9) AND tables.name = views.name
GROUP BY views.table
ORDER BY views.table

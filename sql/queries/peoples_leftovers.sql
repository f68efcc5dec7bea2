-- The statements that drop what an interrupted CREATE OR REPLACE VIEW has left in the database
-- for people.
--   database  name of the database for people
SELECT format('DROP TABLE IF EXISTS `{}`.`{}`', database, name) AS statement
FROM system.tables
WHERE database = {database:String} AND startsWith(name, '_tmp_replace_')
ORDER BY name

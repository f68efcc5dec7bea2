-- The database for people: whether it exists, and its tables that have the name of a view of
-- ours and are no views. These belong to somebody else, and are not replaced.
--   database  name of the database for people
--   views     names of our views
SELECT
    (SELECT count() FROM system.databases WHERE name = {database:String}) > 0 AS made,
    arraySort(groupArray(name)) AS foreign
FROM system.tables
WHERE database = {database:String} AND engine != 'View' AND name IN {views:Array(String)}

-- The database for people: whether it exists, and its tables and views that have the name of a
-- view of ours and are not ours, because their comment does not state a key. These belong to
-- somebody else, and are not replaced.
--   database  name of the database for people
--   views     names of our views
SELECT
    (SELECT count() FROM system.databases WHERE name = {database:String}) > 0 AS made,
    arraySort(groupArray(name)) AS foreign
FROM system.tables
WHERE database = {database:String} AND NOT (engine = 'View' AND position(comment, ' Key: ') > 0) AND name IN {views:Array(String)}

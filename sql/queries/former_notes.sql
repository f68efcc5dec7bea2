-- The former names of tables under which batches have noted rows.
SELECT groupUniqArray(toString(table)) AS tables
FROM batch_table
WHERE table IN (SELECT former FROM former_name WHERE sorting_key != '')

-- Forgets the notes under former names of tables, which rename_notes has copied.
DELETE FROM batch_table WHERE table IN {tables:Array(String)}

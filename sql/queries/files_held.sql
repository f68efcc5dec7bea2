-- How many of the files in {files} a batch includes, and the public name of the batch. If
-- there is no such batch, the number is 0 and the name is empty.
--   batch_id  public name of the batch; empty: the newest
SELECT
    (SELECT count()
     FROM batch_file(batch = (SELECT max(batch) FROM batch WHERE {batch_id:String} IN ('', batch_id)))
     WHERE sha256 IN {files:Array(String)}) AS held,
    (SELECT argMax(batch_id, batch) FROM batch WHERE {batch_id:String} IN ('', batch_id)) AS batch_id

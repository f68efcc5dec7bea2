-- How many of the files in {files} a batch includes, and the public name of the batch. If
-- there is no such batch, the number is 0 and the name is empty.
--   batch_id  public name of the batch; empty: the newest whose moment has come
SELECT
    (SELECT count()
     FROM batch_file(batch = (
         SELECT max(batch) FROM batch
         WHERE if({batch_id:String} = '', parts.moment_has_come(moment: calculated_at), batch_id = {batch_id:String})))
     WHERE sha256 IN {files:Array(String)}) AS held,
    (SELECT argMax(batch_id, batch) FROM batch
     WHERE if({batch_id:String} = '', parts.moment_has_come(moment: calculated_at), batch_id = {batch_id:String})) AS batch_id

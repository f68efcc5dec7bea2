-- The batch that a command to build led to, published or refused by its checks. No row
-- until the command was carried out.
SELECT batch, failure FROM command_done WHERE id = {id:String} LIMIT 1

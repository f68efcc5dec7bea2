-- The batch that a command to build led to, published or refused by its checks; no row
-- while the command has not been carried out.
SELECT batch, failure FROM command_done WHERE id = {id:String} LIMIT 1

-- The batch that a command to build led to; no row while it has not been carried out.
SELECT batch FROM command_done WHERE id = {id:String} LIMIT 1

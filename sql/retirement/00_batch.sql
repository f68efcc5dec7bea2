-- First of all nobody can choose the batch any more.
DELETE FROM batch WHERE batch = {batch:UInt64}

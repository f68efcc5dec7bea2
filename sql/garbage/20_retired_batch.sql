-- This comes first, so that no request can choose the batch any more.
--
-- garbage: retired
DELETE FROM batch WHERE batch = {batch:UInt64}

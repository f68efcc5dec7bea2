-- Whether batch N sees rows of the batch in KEY: those of its own, and those of every earlier batch that did not fail, as in
-- WHERE parts.seen_by_batch(key: build).
KEY <= {batch:UInt64} AND (KEY = {batch:UInt64} OR KEY NOT IN (SELECT batch FROM batch_failure))

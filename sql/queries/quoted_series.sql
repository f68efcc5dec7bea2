-- The RUN and the name of every series of mutual funds.
--   batch  number of the batch
SELECT id AS series_id, run, serie FROM registry WHERE kind = 'series' AND batch <= {batch:UInt64}

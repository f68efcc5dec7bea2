-- The newest published batch that noted the rows of its tables; 0 if there is none, or if notes
-- were lost, so that everything must be noted again.
WITH (SELECT maxIf(batch, noted) FROM batch) AS newest
SELECT
    if(newest NOT IN (SELECT batch FROM batch_table WHERE piece = '')
           OR (SELECT count() FROM file_state WHERE state = 'unnoted') > 0,
       0,
       newest) AS since

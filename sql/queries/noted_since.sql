-- The newest published batch that noted the rows of its tables; 0 if there is none, or if notes
-- were lost, so that everything must be noted again.
SELECT
    if(countIf(noted AND batch NOT IN (SELECT batch FROM batch_table WHERE piece = '')) > 0
           OR (SELECT count() FROM file_state WHERE state = 'unnoted') > 0,
       0,
       maxIf(batch, noted)) AS since
FROM batch

-- The newest published batch that noted the rows of its tables; 0 if there is none.
SELECT maxIf(batch, noted) AS since FROM batch

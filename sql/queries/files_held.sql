-- How many of the {files} the published batch holds, and its public name.
SELECT
    (SELECT count() FROM source_of(batch = (SELECT max(batch) FROM batch)) WHERE sha256 IN {files:Array(String)}) AS held,
    (SELECT any(batch_id) FROM batch WHERE batch = (SELECT max(batch) FROM batch)) AS batch_id

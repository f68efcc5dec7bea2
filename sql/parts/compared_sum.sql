-- The buckets by which two copies of a batch compare a table, with a checksum over the rows of each. A bucket has the
-- rows of one day or of a few, or those of a few keys of a table without days.
    cityHash64({key_1:Identifier}) % 16384                   AS bucket,
    count()                                                  AS rows,
    sum(cityHash64(toString(tuple(* EXCEPT (NUMBER)))))      AS checksum

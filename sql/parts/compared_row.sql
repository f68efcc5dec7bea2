-- What two copies of a batch compare of a row: the text of its key, and a hash of its columns but NUMBER, which
-- differs between copies. The text of the row is empty unless rows are wanted.
    toString(tuple({key_1:Identifier}, {key_2:Identifier}, {key_3:Identifier}, {key_4:Identifier})) AS row_key,
    cityHash64(toString(tuple(* EXCEPT (NUMBER))))                                                  AS row_hash,
    if(empty({wanted:Array(UInt64)}), '', formatRowNoNewline('JSONEachRow', * EXCEPT (NUMBER)))     AS row_text

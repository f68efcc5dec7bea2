-- Detaches a part of a table, into the folder "detached".
ALTER TABLE {table:Identifier} DETACH PART {part:String}

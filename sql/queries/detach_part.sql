-- Sets a part of a table aside, into the folder "detached".
ALTER TABLE {table:Identifier} DETACH PART {part:String}

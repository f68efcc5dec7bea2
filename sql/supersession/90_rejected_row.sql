-- Rejected rows that are kept no longer.
DELETE FROM rejected_row WHERE (hex(dataset), hex(source_sha256)) IN {rejects:Array(Tuple(String, String))}

-- Rejected rows that are no longer kept.
--
-- garbage: superseded
DELETE FROM rejected_row WHERE (hex(dataset), hex(source_sha256)) IN {rejects:Array(Tuple(String, String))}

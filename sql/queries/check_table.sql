-- Reads every part of a table and compares the checksums of its files.
CHECK TABLE {table:Identifier}
SETTINGS check_query_single_value_result = 0

-- Files that are not complete any more. They are again once all their facts have arrived.
DELETE FROM source WHERE sha256 IN {files:Array(String)}

-- What the manifest of a file counts. No row if the file has no manifest, because it was
-- refused as a whole or its ingest broke off.
SELECT keys, rejected FROM manifest FINAL WHERE dataset = {dataset:String} AND sha256 = {sha256:String}

-- What the manifest of a file counts; no row if it has none, because the file was refused
-- as a whole or broke off.
SELECT keys, rejected FROM manifest FINAL WHERE dataset = {dataset:String} AND sha256 = {sha256:String}

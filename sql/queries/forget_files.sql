-- Removes files from the list of complete files. They are listed again when all their facts
-- have arrived.
DELETE FROM complete_file WHERE sha256 IN {files:Array(String)}

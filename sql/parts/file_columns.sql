-- What is known of a file whose rows have been read.
dataset     LowCardinality(String) COMMENT 'Dataset of the file',
sha256      String                 COMMENT 'Hash of the raw file, hex',
revision    DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
file        String                 COMMENT 'Base name of the file',
first_date  Nullable(Date)         COMMENT 'First business date in the file',
last_date   Nullable(Date)         COMMENT 'Last business date in the file',
rows        UInt64                 COMMENT 'Rows read'

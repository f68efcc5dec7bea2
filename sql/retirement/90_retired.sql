INSERT INTO retired_batch (batch) SELECT {batch:UInt64}

-- How many shards a cluster has: none where it is not known.
SELECT uniqExact(shard_num) AS shards FROM system.clusters WHERE cluster = {cluster:String}

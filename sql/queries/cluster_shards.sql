-- How many shards a cluster has; 0 if the server does not know the cluster.
SELECT uniqExact(shard_num) AS shards FROM system.clusters WHERE cluster = {cluster:String}

-- Which server answers, and since when it runs, in Unix seconds.
SELECT hostName() AS server, toInt64(toUnixTimestamp(now())) - toInt64(uptime()) AS started

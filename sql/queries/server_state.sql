-- Which server answers, and when it was started, in Unix seconds.
SELECT hostName() AS server, toInt64(toUnixTimestamp(now())) - toInt64(uptime()) AS started

// Package clickhouse runs a ClickHouse server as a separate process beside this one, so that a
// single machine needs no second installation.
//
// The projector, the query server and the alerts connect to it over native TCP with
// clickhouse-go. They use the same SQL and the same code as with a ClickHouse server that
// somebody else runs. Only the program that wires the components knows who started the server.
//
// The process runs this same program (Host), which loads the engine's library and lets it open
// ClickHouse's own listeners. If Config.Binary names an installed clickhouse, the process runs
// that instead. Both read the same generated configuration (settings.go). The standard input of
// the process is a socket to this process, and the engine ends when the socket closes. So it
// ends with this process, even if this process is killed. If the engine ends first, it is
// started again on the same ports (process.go).
//
// The ports of the engine are private: the owner's password is random and new at each start.
// People connect through the two proxies of package door. They are the ClickHouse user people,
// who needs no password and may read the product's database within limits. ClickHouse's grants
// and constraints decide what people may do. The kernel decides which files the process may
// access (confine_linux.go).
package clickhouse

// Package clickhouse runs a ClickHouse server as a process of its own beside
// this one, so that one machine needs no second installation.
//
// The projector, the query server and the alerts reach it over native TCP with
// clickhouse-go, with the same SQL and the same code as they reach a ClickHouse
// server that somebody else runs. Only the program that wires the components
// together knows who started it.
//
// The process is this program again (Host), which loads the engine's library and
// has it run ClickHouse's own listeners; or an installed clickhouse, where
// Config.Binary names one. Both read the same generated configuration
// (settings.go). Its life is bound to its standard input, a socket: it ends when this process ends,
// however that happens. While this process lives, one that died is started again
// on the same ports (process.go).
//
// The ports of the process are private: the owner's password is random and made
// anew for each start. People come in through the two doors of package door, as
// the user people, who needs no password and may read the product's database
// within limits. What people may do is decided by ClickHouse, by grants and
// constraints; what the process may touch of the machine is decided by the kernel
// (confine_linux.go).
package clickhouse

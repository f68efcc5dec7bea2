"""Reads through both doors with the defaults of each driver, but for the port.

Prints for each way the number of quotes, the user, and the code with which an
insert is refused.
"""

import re
import sys

import clickhouse_connect
import clickhouse_driver

http, native = (int(address.rsplit(":", 1)[1]) for address in sys.argv[1:])
STATEMENT = "SELECT count(), currentUser() FROM quote"
INSERT = "INSERT INTO quote SELECT today(), 1"


def show(name, row, insert):
    try:
        insert()
        code = "none"
    except Exception as error:
        code = re.search(r"[Cc]ode:? (\d+)", str(error)).group(1)
    print(f"{name}: {row[0]} {row[1]} {code}")


for compress in (True, False, "gzip", "zstd"):
    client = clickhouse_connect.get_client(port=http, compress=compress)
    show(f"clickhouse-connect {compress}", client.query(STATEMENT).result_rows[0], lambda: client.command(INSERT))
    total = sum(len(block) for block in client.query_column_block_stream("SELECT number FROM numbers(1000000)").gen)
    assert total > 0
    assert client.query("SELECT {n:Int32}", parameters={"n": 7}).result_rows == [(7,)]
    client.close()

for compression in (False, True, "zstd"):
    client = clickhouse_driver.Client("127.0.0.1", port=native, compression=compression)
    show(f"clickhouse-driver {compression}", client.execute(STATEMENT)[0], lambda: client.execute(INSERT))
    assert sum(row[0] for row in client.execute_iter("SELECT number FROM numbers(100000)")) == 4999950000
    assert client.execute("SELECT %(n)s", {"n": 7}) == [(7,)]
    client.disconnect()

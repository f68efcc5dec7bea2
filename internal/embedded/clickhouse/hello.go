package clickhouse

import (
	"fmt"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	block "github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// helloAnswer is the answer to the driver's opening question. It is encoded at
// the driver's own revision, as the driver expects of this answer only, and
// says that the revision of all others is 0, which is what the library writes.
func helloAnswer(version string) ([]byte, error) {
	b := block.NewBlock()
	for _, c := range []struct {
		name string
		kind column.Type
	}{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
		if err := b.AddColumn(c.name, c.kind); err != nil {
			return nil, fmt.Errorf("answer to the driver's opening: %w", err)
		}
	}
	if err := b.Append("embedded", version, uint32(0), "UTC"); err != nil {
		return nil, fmt.Errorf("answer to the driver's opening: %w", err)
	}
	var buffer proto.Buffer
	if err := b.Encode(&buffer, block.DBMS_TCP_PROTOCOL_VERSION); err != nil {
		return nil, fmt.Errorf("answer to the driver's opening: %w", err)
	}
	return buffer.Buf, nil
}

package history_test

import (
	"os"
	"testing"

	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

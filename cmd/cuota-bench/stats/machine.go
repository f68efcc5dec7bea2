package stats

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Machine describes the time, the machine and the programs of the run, without the name
// of the host. engine is the version of ClickHouse.
func Machine(engine string) string {
	return fmt.Sprintf("%s\n%s, %d cores for Go; %s %s/%s\nClickHouse %s beside this process and Kafka (kfake %s) "+
		"inside it; clickhouse-go %s, kafka-go %s\n",
		time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		processor(), runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		engine, moduleVersion("github.com/twmb/franz-go/pkg/kfake"),
		moduleVersion("github.com/ClickHouse/clickhouse-go/v2"), moduleVersion("github.com/segmentio/kafka-go"))
}

// processor returns the model of the CPU, if the system states it.
func processor() string {
	info, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer func() { _ = info.Close() }()
	for lines := bufio.NewScanner(info); lines.Scan(); {
		if name, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				return module.Version
			}
		}
	}
	return "of unknown version"
}

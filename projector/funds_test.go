package projector_test

import (
	"testing"
	"time"
)

func TestProto(t *testing.T) {
	m, _ := peoplesMarket(t)
	funds := m.Options.Auth.Database + "_funds"
	for _, v := range column(t, m, "SELECT name FROM system.tables WHERE database = '"+funds+"' ORDER BY name") {
		began := time.Now()
		n := column(t, m, "SELECT concat(toString(count()), ' ', toString(sum(cityHash64(toString(tuple(*)))))) FROM "+funds+"."+v)
		t.Log(v, n, time.Since(began))
	}
}

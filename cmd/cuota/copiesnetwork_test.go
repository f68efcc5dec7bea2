//go:build linux

package main

import (
	"fmt"
	"testing"
)

// behindPorts is by how much the ports at which copies reach brokers and ClickHouse are higher than those of the
// servers. The test listens there, and passes everything on until it cuts two processes off from each other.
const behindPorts = 60

// These are in the names of cuts.
const (
	allBrokers = "all brokers"
	itsClients = " from its clients" // the projector and the query server of the copy
)

// joinNetworks listens where copies reach brokers and ClickHouse.
func (c *copiesInstallation) joinNetworks(t *testing.T) {
	t.Helper()
	c.networks = map[string][]*brokenNetwork{}
	join := func(name string, what int) *brokenNetwork {
		to := c.at(name, what)
		return newBrokenNetwork(t, c.at(name, what+behindPorts), func() string { return to })
	}
	for _, name := range c.copies {
		project := "project-" + name + " from "
		for n := range brokers {
			network := join(name, kafkaPort+n)
			one := fmt.Sprintf("%skafka-%d", project, n+1)
			c.networks[one] = []*brokenNetwork{network}
			c.networks[project+allBrokers] = append(c.networks[project+allBrokers], network)
		}
		c.networks["clickhouse-"+name+itsClients] = []*brokenNetwork{join(name, nativePort), join(name, httpPort)}
	}
}

// cut lets nothing pass between processes, and returns what lets everything pass again.
func (c *copiesInstallation) cut(process string) (end func()) {
	for _, network := range c.networks[process] {
		network.hold(true)
	}
	return func() {
		for _, network := range c.networks[process] {
			network.hold(false)
		}
	}
}

package compose

import (
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

type composeFile struct {
	Services map[string]service `yaml:"services"`
	Networks map[string]network `yaml:"networks"`
	Volumes  map[string]any     `yaml:"volumes"`
}

type service struct {
	Environment map[string]string `yaml:"environment"`
	Networks    []string          `yaml:"networks"`
	NetworkMode string            `yaml:"network_mode"`
	Ports       list              `yaml:"ports"`
	Volumes     []string          `yaml:"volumes"`
	Restart     string            `yaml:"restart"`
	DependsOn   map[string]any    `yaml:"depends_on"`
	Logging     struct {
		Driver  string            `yaml:"driver"`
		Options map[string]string `yaml:"options"`
	} `yaml:"logging"`
	Healthcheck struct {
		Test     []string `yaml:"test"`
		Interval string   `yaml:"interval"`
	} `yaml:"healthcheck"`
}

type network struct {
	Internal bool `yaml:"internal"`
	IPAM     struct {
		Config []struct {
			Subnet string `yaml:"subnet"`
		} `yaml:"config"`
	} `yaml:"ipam"`
}

// list is a list that a later file can empty with the tag !reset.
type list struct {
	items []string
	reset bool
}

func (l *list) UnmarshalYAML(node *yaml.Node) error {
	l.reset = node.Tag == "!reset"
	for _, item := range node.Content {
		l.items = append(l.items, item.Value)
	}
	return nil
}

// installation is what Compose runs from some files.
type installation struct {
	composeFile
	copies []string // what the names of the services of each copy end with
	front  string   // the service that clients ask
}

func installations(t *testing.T) map[string]installation {
	t.Helper()
	one, more := readFile(t, "../docker-compose.yml"), readFile(t, "../docker-compose.copies.yml")
	return map[string]installation{
		"one copy":   {one, []string{""}, "query"},
		"two copies": {added(one, more), []string{"", "-b"}, "balancer"},
	}
}

func readFile(t *testing.T, path string) composeFile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file composeFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// added returns what Compose makes of a file and one that is read after it, as far as the second has it: variables and
// lists are added, and the rest of a service stays.
func added(first, second composeFile) composeFile {
	whole := composeFile{maps.Clone(first.Services), maps.Clone(first.Networks), maps.Clone(first.Volumes)}
	for name, more := range second.Services {
		s, there := whole.Services[name]
		if !there {
			whole.Services[name] = more
			continue
		}
		s.Environment, s.DependsOn = maps.Clone(s.Environment), maps.Clone(s.DependsOn)
		if s.DependsOn == nil {
			s.DependsOn = map[string]any{}
		}
		maps.Copy(s.Environment, more.Environment)
		maps.Copy(s.DependsOn, more.DependsOn)
		s.Networks, s.Volumes = slices.Concat(s.Networks, more.Networks), slices.Concat(s.Volumes, more.Volumes)
		if more.Ports.reset {
			s.Ports = list{}
		}
		s.Ports.items = slices.Concat(s.Ports.items, more.Ports.items)
		whole.Services[name] = s
	}
	maps.Copy(whole.Networks, second.Networks)
	maps.Copy(whole.Volumes, second.Volumes)
	return whole
}

// each runs a check for one copy and for two.
func each(t *testing.T, check func(t *testing.T, of installation)) {
	t.Helper()
	for name, of := range installations(t) {
		t.Run(name, func(t *testing.T) { check(t, of) })
	}
}

// role returns the role of a service, such as query for query-b.
func (of installation) role(service string) string {
	for _, copied := range of.copies {
		service = strings.TrimSuffix(service, copied)
	}
	return service
}

// servers are the services that hold data, by the server that they are.
func (of installation) servers() map[string]string {
	servers := map[string]string{}
	for name := range of.Services {
		for _, server := range []string{"clickhouse", "kafka", "postgres"} {
			if name == server || strings.HasPrefix(name, server+"-") {
				servers[name] = server
			}
		}
	}
	return servers
}

func TestEachRoleReachesOnlyTheServersThatItNeeds(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		needs := map[string][]string{"project": {"clickhouse", "kafka"}, "query": {"clickhouse", "postgres"},
			"ingest": {"clickhouse", "kafka"}, "key": {"postgres"}, "balancer": nil}
		seen := 0
		for name, service := range of.Services {
			needed, isRole := needs[of.role(name)]
			if !isRole {
				continue
			}
			seen++
			for server, kind := range of.servers() {
				want := slices.Contains(needed, kind)
				if kind == "clickhouse" { // that of the same copy
					want = want && strings.TrimPrefix(server, "clickhouse") == strings.TrimPrefix(name, of.role(name))
				}
				shared := slices.ContainsFunc(service.Networks, func(network string) bool {
					return slices.Contains(of.Services[server].Networks, network)
				})
				if shared != want {
					t.Errorf("%s reaches %s: %v", name, server, shared)
				}
			}
		}
		if want := 2 + 2*len(of.copies) + len(of.copies) - 1; seen != want {
			t.Errorf("%d roles, want %d", seen, want)
		}
		for name, service := range of.Services {
			if len(service.Networks) == 0 && service.NetworkMode != "none" {
				t.Errorf("%s is on the default network, with everything else", name)
			}
			for _, network := range service.Networks {
				if _, declared := of.Networks[network]; !declared {
					t.Errorf("%s is on %s, which is not declared", name, network)
				}
				if !of.Networks[network].Internal && of.role(name) != "query" && name != of.front {
					t.Errorf("%s is on %s, which leads out", name, network)
				}
			}
			if ports := service.Ports.items; len(ports) > 0 != (name == of.front) ||
				len(ports) > 0 && !strings.HasPrefix(ports[0], "127.0.0.1:") {
				t.Errorf("%s publishes %v", name, ports)
			}
		}
	})
}

func TestEachRoleHasCredentialsOfItsOwnAndQueryReadsOnly(t *testing.T) {
	each(t, credentialsAreOfTheRole)
}

var composeVariable = regexp.MustCompile(`\$\{([A-Z_]+)[^}]*\}`)

func credentialsAreOfTheRole(t *testing.T, of installation) {
	users := readUsers(t)
	accounts := []string{"CUOTA_ACCOUNTS", "CUOTA_PEPPER"}
	absent := map[string][]string{
		"project": accounts, "ingest": accounts, "query": {"CUOTA_KAFKA", "CUOTA_ARCHIVE"},
		"key":      {"CUOTA_KAFKA", "CUOTA_CLICKHOUSE", "CUOTA_ARCHIVE"},
		"balancer": append(accounts, "CUOTA_KAFKA", "CUOTA_CLICKHOUSE", "CUOTA_ARCHIVE"),
	}
	rights := map[string]string{"project": "cuota_projector", "query": "cuota_reader", "ingest": "cuota_reader"}
	for name, service := range of.Services {
		role := of.role(name)
		for _, variable := range absent[role] {
			if _, there := service.Environment[variable]; there {
				t.Errorf("%s has %s", name, variable)
			}
		}
		right, reads := rights[role]
		if !reads {
			continue
		}
		server := "clickhouse" + strings.TrimPrefix(name, role)
		address, err := url.Parse(composeVariable.ReplaceAllString(service.Environment["CUOTA_CLICKHOUSE"], "$1"))
		if err != nil || address.User.Username() != role || address.Hostname() != server {
			t.Errorf("%s signs in at %v (%v)", name, address, err)
			continue
		}
		password, _ := address.User.Password()
		found := false
		for _, user := range users.Users.Items {
			if user.XMLName.Local != role {
				continue
			}
			found = true
			if user.Password.FromEnv != password || strings.TrimSpace(user.Password.Text) != "" {
				t.Errorf("%s gives %s, and the server wants %s", name, password, user.Password.FromEnv)
			}
			if !slices.Equal(user.Grants, []string{"GRANT " + right}) {
				t.Errorf("%s has %v", name, user.Grants)
			}
			if right == "cuota_reader" && user.Profile != "cuota_reader" {
				t.Errorf("%s has the profile %s", name, user.Profile)
			}
		}
		if !found || strings.Count(password, strings.ToUpper(role)) != 1 {
			t.Errorf("%s has no user or no password of its own: %s", name, password)
		}
		if given, there := of.Services[server].Environment[password]; !there ||
			!strings.HasPrefix(given, "${"+password+":?") {
			t.Errorf("%s is not given %s", server, password)
		}
	}
	for name, readOnly := range map[string]string{"cuota_reader": "2", "default": ""} {
		i := slices.IndexFunc(users.Profiles.Items, func(p item) bool { return p.XMLName.Local == name })
		if i < 0 {
			t.Errorf("there is no profile %s", name)
			continue
		}
		if profile := users.Profiles.Items[i]; profile.ReadOnly != readOnly || profile.AndCompareChain != "0" {
			t.Errorf("the profile %s is %+v", name, profile)
		}
	}
	if n := len(users.Profiles.Items); n != 2 {
		t.Errorf("there are %d profiles", n)
	}
	postgres := of.Services["postgres"].Environment["POSTGRES_USER"]
	for name, service := range of.Services {
		if role := of.role(name); role != "query" && role != "key" {
			continue
		}
		address := composeVariable.ReplaceAllString(service.Environment["CUOTA_ACCOUNTS"], "$1")
		if u, err := url.Parse(address); err != nil || u.User.Username() != "accounts" || postgres == "accounts" {
			t.Errorf("%s signs in as %s, who may do everything (%v)", name, postgres, err)
		}
	}
}

func TestComposePassesOnWhatTheAccountAreaNeeds(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		for _, copied := range of.copies {
			environment := of.Services["query"+copied].Environment
			for _, name := range []string{"CUOTA_BASE_URL", "CUOTA_TRUSTED_PROXIES", "CUOTA_ORIGINS",
				"CUOTA_GOOGLE_CLIENT_ID", "CUOTA_GOOGLE_CLIENT_SECRET", "CUOTA_GOOGLE_ISSUER", "CUOTA_SMTP",
				"CUOTA_MAIL_FROM", "CUOTA_RETURNS"} {
				if !strings.HasPrefix(environment[name], "${"+name+":-") {
					t.Errorf("%s of query%s is %q", name, copied, environment[name])
				}
			}
		}
	})
}

// The services of all copies are the same but for the name of the copy, its server and its network.
func TestTheCopiesDifferInTheirNamesAlone(t *testing.T) {
	of := installations(t)["two copies"]
	for _, role := range []string{"project", "query", "clickhouse"} {
		first, second := of.Services[role], of.Services[role+"-b"]
		named := func(text string) string {
			return strings.NewReplacer("clickhouse-b", "clickhouse", "tables-b", "tables").Replace(text)
		}
		environment := map[string]string{}
		for name, value := range second.Environment {
			environment[name] = named(value)
		}
		if role == "project" {
			if first.Environment["CUOTA_COPY"] != "a" || second.Environment["CUOTA_COPY"] != "b" {
				t.Errorf("the names of %s are %q and %q", role, first.Environment["CUOTA_COPY"],
					second.Environment["CUOTA_COPY"])
			}
			environment["CUOTA_COPY"] = "a"
		}
		if !maps.Equal(first.Environment, environment) {
			t.Errorf("%s has %v, and that of b has %v", role, first.Environment, second.Environment)
		}
		for what, lists := range map[string][2][]string{"networks": {first.Networks, second.Networks},
			"volumes": {first.Volumes, second.Volumes},
			"check":   {first.Healthcheck.Test, second.Healthcheck.Test}} {
			if got := strings.Join(lists[1], " "); named(got) != strings.Join(lists[0], " ") {
				t.Errorf("the %s of %s are %v and %v", what, role, lists[0], lists[1])
			}
		}
		waits := slices.Sorted(maps.Keys(first.DependsOn))
		others := slices.Sorted(maps.Keys(second.DependsOn))
		if named(strings.Join(others, " ")) != strings.Join(waits, " ") {
			t.Errorf("%s waits for %v, and that of b for %v", role, waits, others)
		}
	}
	if of.Services["ingest"].Environment["CUOTA_COPY"] != "a" {
		t.Error("ingest waits for the projector of no copy")
	}
}

func TestOneOfThreeBrokersMayBeAway(t *testing.T) {
	of := installations(t)["two copies"]
	brokers, voters := []string{}, []string{}
	for name, id := range map[string]string{"kafka": "1", "kafka-2": "2", "kafka-3": "3"} {
		broker := of.Services[name].Environment
		if broker["KAFKA_NODE_ID"] != id || broker["KAFKA_ADVERTISED_LISTENERS"] != "PLAINTEXT://"+name+":9092" {
			t.Errorf("%s is %v", name, broker)
		}
		brokers, voters = append(brokers, name+":9092"), append(voters, id+"@"+name+":9093")
		for setting, want := range map[string]string{
			"KAFKA_DEFAULT_REPLICATION_FACTOR": "3", "KAFKA_MIN_INSYNC_REPLICAS": "2",
			"KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR":         "3",
			"KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "3", "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "2",
		} {
			if broker[setting] != want {
				t.Errorf("%s of %s is %q", setting, name, broker[setting])
			}
		}
		for setting, value := range of.Services["kafka"].Environment {
			if setting != "KAFKA_NODE_ID" && setting != "KAFKA_ADVERTISED_LISTENERS" && broker[setting] != value {
				t.Errorf("%s of %s is %q, and of kafka %q", setting, name, broker[setting], value)
			}
		}
	}
	slices.Sort(brokers)
	slices.Sort(voters)
	for name, service := range of.Services {
		if role := of.role(name); role == "project" || role == "ingest" {
			got := strings.Split(service.Environment["CUOTA_KAFKA"], ",")
			if slices.Sort(got); !slices.Equal(got, brokers) {
				t.Errorf("%s knows the brokers %v", name, got)
			}
		}
		if got, isBroker := service.Environment["KAFKA_CONTROLLER_QUORUM_VOTERS"]; isBroker &&
			got != strings.Join(voters, ",") {
			t.Errorf("%s knows the controllers %s", name, got)
		}
	}
}

// Otherwise all clients would share the address of the balancer, and its limits.
func TestTheQueryServersTrustTheBalancerAlone(t *testing.T) {
	of := installations(t)["two copies"]
	config := of.Networks["front"].IPAM.Config
	if len(config) != 1 {
		t.Fatalf("the network of the balancer is %v", config)
	}
	for _, copied := range of.copies {
		trusted := of.Services["query"+copied].Environment["CUOTA_TRUSTED_PROXIES"]
		if want := "${CUOTA_TRUSTED_PROXIES:-" + config[0].Subnet + "}"; trusted != want {
			t.Errorf("query%s trusts %s, want %s", copied, trusted, want)
		}
	}
	if networks := of.Services["balancer"].Networks; !slices.Equal(networks, []string{"front"}) {
		t.Errorf("the balancer is on %v", networks)
	}
}

func TestEveryServerStartsAgainAfterItEnds(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		for name, service := range of.Services {
			once := name == "ingest" || name == "key" || name == "folders" // commands, which end
			if want := map[bool]string{true: "no", false: "unless-stopped"}[once]; service.Restart != want {
				t.Errorf("restart of %s is %q, want %q", name, service.Restart, want)
			}
		}
	})
}

func TestTheOutputOfEveryContainerIsBounded(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		for name, service := range of.Services {
			if log := service.Logging; log.Driver != "json-file" || log.Options["max-size"] != "10m" ||
				log.Options["max-file"] != "5" {
				t.Errorf("%s logs with %+v", name, log)
			}
		}
	})
}

func TestEveryVolumeIsDeclaredAndHasOneServer(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		servers := of.servers()
		owner := map[string]string{}
		for name, service := range of.Services {
			for _, volume := range service.Volumes {
				from, _, _ := strings.Cut(volume, ":")
				if strings.HasPrefix(from, "./") {
					if _, err := os.Stat("../" + from); err != nil || !strings.HasSuffix(volume, ":ro") {
						t.Errorf("%s has %s: %v", name, volume, err)
					}
					continue
				}
				if _, declared := of.Volumes[from]; !declared {
					t.Errorf("%s has the volume %s, which is not declared", name, from)
				}
				if servers[name] != "" && owner[from] != "" {
					t.Errorf("%s and %s share %s", name, owner[from], from)
				}
				if servers[name] != "" {
					owner[from] = name
				}
			}
		}
		if len(owner) != len(servers) {
			t.Errorf("%d servers keep data, of %d", len(owner), len(servers))
		}
	})
}

func TestPrometheusReachesTheMetricsOfTheRunningRoles(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		for _, copied := range of.copies {
			for _, role := range []string{"project" + copied, "query" + copied} {
				service := of.Services[role]
				if address := service.Environment["CUOTA_ADMIN"]; address != "0.0.0.0:9091" ||
					!slices.Contains(service.Networks, "metrics") {
					t.Errorf("%s serves its metrics at %q on %v", role, address, service.Networks)
				}
			}
		}
		if !of.Networks["metrics"].Internal {
			t.Error("other machines reach the network of the metrics, which need no password")
		}
	})
}

func TestAnAdministratorMayGrantPeopleTheirRole(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		for _, copied := range of.copies {
			if of.Services["clickhouse"+copied].Environment["CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT"] != "1" {
				t.Errorf("the administrator of clickhouse%s may not create users", copied)
			}
		}
	})
}

func TestHealthChecksStartNoJavaAndRunRarely(t *testing.T) {
	each(t, func(t *testing.T, of installation) {
		for name, service := range of.Services {
			check := service.Healthcheck
			if len(check.Test) == 0 {
				continue
			}
			if check.Interval != "10s" {
				t.Errorf("%s is checked every %s", name, check.Interval)
			}
			if strings.Contains(strings.Join(check.Test, " "), "kafka-") {
				t.Errorf("the check of %s starts Java: %q", name, check.Test)
			}
		}
	})
}

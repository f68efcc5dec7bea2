package compose

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

type composeFile struct {
	Services map[string]struct {
		Environment map[string]string `yaml:"environment"`
		Networks    []string          `yaml:"networks"`
		NetworkMode string            `yaml:"network_mode"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Restart     string            `yaml:"restart"`
		Logging     struct {
			Driver  string            `yaml:"driver"`
			Options map[string]string `yaml:"options"`
		} `yaml:"logging"`
		Healthcheck struct {
			Test     []string `yaml:"test"`
			Interval string   `yaml:"interval"`
		} `yaml:"healthcheck"`
	} `yaml:"services"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
	} `yaml:"networks"`
}

func readCompose(t *testing.T) composeFile {
	t.Helper()
	text, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file composeFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEachRoleReachesOnlyTheServersThatItNeeds(t *testing.T) {
	file := readCompose(t)
	for role, servers := range map[string][]string{
		"project": {"clickhouse", "kafka"}, "query": {"clickhouse", "postgres"}, "ingest": {"clickhouse", "kafka"},
		"key": {"postgres"},
	} {
		for _, server := range []string{"clickhouse", "kafka", "postgres"} {
			shared := slices.ContainsFunc(file.Services[role].Networks, func(network string) bool {
				return slices.Contains(file.Services[server].Networks, network)
			})
			if shared != slices.Contains(servers, server) {
				t.Errorf("%s reaches %s: %v", role, server, shared)
			}
		}
	}
	for name, service := range file.Services {
		if len(service.Networks) == 0 && service.NetworkMode != "none" {
			t.Errorf("%s is on the default network, with everything else", name)
		}
		for _, network := range service.Networks {
			if !file.Networks[network].Internal && name != "query" {
				t.Errorf("%s is on %s, which leads out", name, network)
			}
		}
		if len(service.Ports) > 0 && (name != "query" || !strings.HasPrefix(service.Ports[0], "127.0.0.1:")) {
			t.Errorf("%s publishes %v", name, service.Ports)
		}
	}
}

func TestEachRoleHasCredentialsOfItsOwnAndQueryReadsOnly(t *testing.T) {
	file, users := readCompose(t), readUsers(t)
	accounts := []string{"CUOTA_ACCOUNTS", "CUOTA_PEPPER"}
	for role, absent := range map[string][]string{
		"project": accounts, "ingest": accounts, "query": {"CUOTA_KAFKA", "CUOTA_ARCHIVE"},
		"key": {"CUOTA_KAFKA", "CUOTA_CLICKHOUSE", "CUOTA_ARCHIVE"},
	} {
		for _, name := range absent {
			if _, there := file.Services[role].Environment[name]; there {
				t.Errorf("%s has %s", role, name)
			}
		}
	}
	variable := regexp.MustCompile(`\$\{([A-Z_]+)[^}]*\}`)
	for role, right := range map[string]string{"project": "cuota_projector", "query": "cuota_reader",
		"ingest": "cuota_reader"} {
		address, err := url.Parse(variable.ReplaceAllString(file.Services[role].Environment["CUOTA_CLICKHOUSE"], "$1"))
		if err != nil || address.User.Username() != role {
			t.Errorf("%s signs in at %v (%v)", role, address, err)
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
				t.Errorf("%s gives %s, and the server wants %s", role, password, user.Password.FromEnv)
			}
			if !slices.Equal(user.Grants, []string{"GRANT " + right}) {
				t.Errorf("%s has %v", role, user.Grants)
			}
			if right == "cuota_reader" && user.Profile != "cuota_reader" {
				t.Errorf("%s has the profile %s", role, user.Profile)
			}
		}
		if !found || strings.Count(password, strings.ToUpper(role)) != 1 {
			t.Errorf("%s has no user or no password of its own: %s", role, password)
		}
		if given, there := file.Services["clickhouse"].Environment[password]; !there ||
			!strings.HasPrefix(given, "${"+password+":?") {
			t.Errorf("the server is not given %s", password)
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
	postgres := file.Services["postgres"].Environment["POSTGRES_USER"]
	for _, role := range []string{"query", "key"} {
		address := variable.ReplaceAllString(file.Services[role].Environment["CUOTA_ACCOUNTS"], "$1")
		if u, err := url.Parse(address); err != nil || u.User.Username() == postgres {
			t.Errorf("%s signs in as %s, who may do everything (%v)", role, postgres, err)
		}
	}
}

func TestComposePassesOnWhatTheAccountAreaNeeds(t *testing.T) {
	environment := readCompose(t).Services["query"].Environment
	for _, name := range []string{"CUOTA_BASE_URL", "CUOTA_TRUSTED_PROXIES", "CUOTA_ORIGINS", "CUOTA_GOOGLE_CLIENT_ID",
		"CUOTA_GOOGLE_CLIENT_SECRET",
		"CUOTA_GOOGLE_ISSUER", "CUOTA_SMTP", "CUOTA_MAIL_FROM", "CUOTA_RETURNS"} {
		if !strings.HasPrefix(environment[name], "${"+name+":-") {
			t.Errorf("%s is %q", name, environment[name])
		}
	}
}

func TestEveryServerStartsAgainAfterItEnds(t *testing.T) {
	for name, service := range readCompose(t).Services {
		once := name == "ingest" || name == "key" || name == "folders" // commands, which end
		if want := map[bool]string{true: "no", false: "unless-stopped"}[once]; service.Restart != want {
			t.Errorf("restart of %s is %q, want %q", name, service.Restart, want)
		}
	}
}

func TestTheOutputOfEveryContainerIsBounded(t *testing.T) {
	for name, service := range readCompose(t).Services {
		if log := service.Logging; log.Driver != "json-file" || log.Options["max-size"] != "10m" ||
			log.Options["max-file"] != "5" {
			t.Errorf("%s logs with %+v", name, log)
		}
	}
}

func TestPrometheusReachesTheMetricsOfTheRunningRoles(t *testing.T) {
	file := readCompose(t)
	for _, role := range []string{"project", "query"} {
		service := file.Services[role]
		if address := service.Environment["CUOTA_ADMIN"]; address != "0.0.0.0:9091" ||
			!slices.Contains(service.Networks, "metrics") {
			t.Errorf("%s serves its metrics at %q on %v", role, address, service.Networks)
		}
	}
	if !file.Networks["metrics"].Internal {
		t.Error("other machines reach the network of the metrics, which need no password")
	}
}

func TestAnAdministratorMayGrantPeopleTheirRole(t *testing.T) {
	if file := readCompose(t); file.Services["clickhouse"].Environment["CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT"] != "1" {
		t.Error("the administrator of ClickHouse may not create users")
	}
}

func TestHealthChecksStartNoJavaAndRunRarely(t *testing.T) {
	for name, service := range readCompose(t).Services {
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
}

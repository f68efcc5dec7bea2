package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"cuota/internal/embedded/clickhouse"
)

// version is the text of --version, to include in a report of a defect.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info)
}

// programVersion is the release of this program, or the revision from which it was
// built.
func programVersion() string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return "(unknown)"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && (info.Main.Version == "" || info.Main.Version == "(devel)") {
			return setting.Value
		}
	}
	return info.Main.Version
}

func versionOf(info *debug.BuildInfo) string {
	var b strings.Builder
	release := info.Main.Version
	if release == "" {
		release = "(unknown)"
	}
	fmt.Fprintf(&b, "cuota     %s\n", release)
	build := map[string]string{}
	for _, setting := range info.Settings {
		build[setting.Key] = setting.Value
	}
	if revision := build["vcs.revision"]; revision != "" {
		changed := ""
		if build["vcs.modified"] == "true" {
			changed = ", with uncommitted changes"
		}
		fmt.Fprintf(&b, "revision  %s of %s%s\n", revision, build["vcs.time"], changed)
	}
	fmt.Fprintf(&b, "engine    ClickHouse %s\n", clickhouse.Release)
	fmt.Fprintf(&b, "built by  %s\n", info.GoVersion)
	return b.String()
}

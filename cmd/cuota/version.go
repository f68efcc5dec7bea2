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

// release is the version of the program, as docs/changelog.md has it.
const release = "0.1.0"

// programVersion is the release and the revision from which the program was built.
func programVersion() string {
	if info, known := debug.ReadBuildInfo(); known {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				return release + "+" + setting.Value[:min(len(setting.Value), 12)]
			}
		}
	}
	return release
}

func versionOf(info *debug.BuildInfo) string {
	var b strings.Builder
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

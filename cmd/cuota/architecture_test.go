package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dependencies lists the packages of this program that a package imports, directly or
// not.
func dependencies(t *testing.T, name string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "cuota/"+name).Output()
	if err != nil {
		t.Fatal(err)
	}
	var ours []string
	for _, line := range strings.Fields(string(out)) {
		if rest, found := strings.CutPrefix(line, "cuota/"); found && rest != name {
			ours = append(ours, rest)
		}
	}
	return ours
}

// packagesOf lists a package and those below it.
func packagesOf(t *testing.T, name string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "cuota/"+name+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(out), "cuota/", ""))
}

// stages are the stages of the flow. Each is a package and those below it.
var stages = []string{"ingest", "projector", "query"}

// stageOf returns the stage of the flow to which a package belongs, and "" if it belongs to none.
func stageOf(name string) string {
	stage, _, _ := strings.Cut(name, "/")
	if !slices.Contains(stages, stage) {
		return ""
	}
	return stage
}

func TestTheStagesOfTheFlowNeverImportEachOther(t *testing.T) {
	for _, stage := range stages {
		for _, part := range packagesOf(t, stage) {
			for _, needed := range dependencies(t, part) {
				if other := stageOf(needed); other != "" && other != stage {
					t.Errorf("%s imports %s", part, needed)
				}
				if strings.HasPrefix(needed, "internal/embedded") {
					t.Errorf("%s imports %s: the stages must not know that an engine is embedded", part, needed)
				}
			}
		}
	}
	for ground, allowed := range map[string][]string{"model": nil, "sql/text": nil, "sql": {"sql/text"}} {
		if needed := dependencies(t, ground); !slices.Equal(needed, allowed) {
			t.Errorf("%s imports %v of ours, want %v", ground, needed, allowed)
		}
	}
}

func TestTheAccountAreaAndTheDataEndpointsNeverImportEachOther(t *testing.T) {
	for from, to := range map[string]string{"internal/account/area": "query", "query": "internal/account/area"} {
		if slices.Contains(dependencies(t, from), to) {
			t.Errorf("%s imports %s", from, to)
		}
	}
}

func TestThePartsOfTheBenchDependOneWay(t *testing.T) {
	const bench = "cmd/cuota-bench/"
	for part, allowed := range map[string][]string{
		"stats":    nil,
		"load":     {"stats"},
		"baseline": nil,
		"figures":  {"stats", "load", "baseline"},
	} {
		for _, needed := range dependencies(t, bench+part) {
			if other, found := strings.CutPrefix(needed, bench); found && !slices.Contains(allowed, other) {
				t.Errorf("%s%s imports %s", bench, part, needed)
			} else if !found && part == "stats" {
				t.Errorf("%s%s imports %s: a reading knows nothing of what is measured", bench, part, needed)
			}
		}
	}
	for _, needed := range dependencies(t, "cmd/cuota") {
		if strings.HasPrefix(needed, bench) {
			t.Errorf("cmd/cuota imports %s: only cmd/cuota-bench wires the bench", needed)
		}
	}
}

// Packages of the projector import only those that are named here.
func TestTheRoomsOfTheProjectorDependOneWay(t *testing.T) {
	const projector = "projector/"
	for room, allowed := range map[string][]string{
		"projector/schema":  nil,
		"projector/write":   nil,
		"projector/store":   {"write"},
		"projector/inspect": {"write"},
		"projector/build":   {"write"},
		"projector":         {"write", "store", "inspect", "build"},
	} {
		for _, needed := range dependencies(t, room) {
			if other, found := strings.CutPrefix(needed, projector); needed == "projector" ||
				found && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s", room, needed)
			}
		}
	}
}

// Packages of a stage import only those that stand before them.
func TestThePartsOfAStageStandOnEachOther(t *testing.T) {
	for stage, order := range map[string][]string{
		"ingest": {"ingest/excerpt", "ingest/encode", "ingest/lines", "ingest/parse", "ingest/drift", "ingest/archive",
			"ingest", "ingest/scrape"},
		"query": {"query/savings", "query/bulk", "query/receipt", "query/batch", "query/operation", "query/facts",
			"query/past", "query/market", "query/funds", "query/series", "query/daily", "query/summary", "query/explain",
			"query/origin", "query/portfolio"},
	} {
		var below []string
		for _, part := range order {
			for _, needed := range dependencies(t, part) {
				if strings.HasPrefix(needed, stage) && !slices.Contains(below, needed) {
					t.Errorf("%s imports %s", part, needed)
				}
			}
			below = append(below, part)
		}
	}
}

func TestNoPackageOfAStageOrOfTheSiteHasMoreThanTwentyFiveFiles(t *testing.T) {
	for _, root := range []string{"ingest", "projector", "query", "internal/site"} {
		for _, part := range packagesOf(t, root) {
			wantFewFiles(t, filepath.Join("../..", part))
		}
	}
}

// rooms are the packages below cmd/cuota, each with the rooms that it may import. A room imports only
// rooms that stand before it.
var rooms = []struct {
	name    string
	imports []string
}{
	{"output", nil},
	{"exit", []string{"output"}},
	{"environment", []string{"output"}},
	{"datadir", []string{"environment", "exit"}},
	{"flow", []string{"exit", "output"}},
	{"connect", []string{"datadir", "environment", "exit", "flow"}},
	{"dryrun", []string{"output"}},
	{"ingesting", []string{"connect", "datadir", "dryrun", "environment", "exit", "flow", "output"}},
	{"backtests", []string{"connect", "environment", "exit", "output"}},
	{"agents", []string{"connect", "environment"}},
	{"receipts", []string{"connect", "environment", "exit", "output"}},
	{"notaries", []string{"connect", "datadir", "environment", "exit"}},
	{"backups", []string{"connect", "datadir", "environment", "exit", "flow"}},
	{"firststart", []string{"datadir", "flow", "output"}},
	{"upkeep", []string{"connect", "datadir", "environment", "exit", "flow", "notaries", "output"}},
	{"admin", []string{"datadir", "exit", "flow", "upkeep"}},
}

func TestTheRoomsOfTheCommandStandOnEachOther(t *testing.T) {
	const command = "cuota/cmd/cuota/"
	var before []string
	for _, room := range rooms {
		for _, name := range room.imports {
			if !slices.Contains(before, name) {
				t.Errorf("%s may import %s, which does not stand before it", room.name, name)
			}
		}
		out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`,
			command+room.name).Output()
		if err != nil {
			t.Fatal(err)
		}
		var imported []string
		for _, name := range strings.Fields(string(out)) {
			if other, found := strings.CutPrefix(name, command); found {
				imported = append(imported, other)
			}
		}
		if !slices.Equal(imported, room.imports) {
			t.Errorf("%s imports the rooms %v, want %v", room.name, imported, room.imports)
		}
		before = append(before, room.name)
	}
	folders, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range folders {
		if room := filepath.Dir(file); !slices.Contains(before, room) {
			t.Errorf("%s is in no room", file)
		}
	}
	wantFewFiles(t, ".")
	for _, room := range before {
		wantFewFiles(t, room)
	}
}

// wantFewFiles fails if a folder has no Go file or more than somebody can oversee. Tests do not count.
func wantFewFiles(t *testing.T, folder string) {
	t.Helper()
	const most = 25
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	if files = slices.DeleteFunc(files, func(name string) bool {
		return strings.HasSuffix(name, "_test.go")
	}); len(files) == 0 || len(files) > most {
		t.Errorf("%s has %d files, want at most %d", folder, len(files), most)
	}
}

func TestTheKernelKnowsNeitherFundsNorSQLAndNobodyImportsUpwards(t *testing.T) {
	for from, forbidden := range map[string][]string{
		"internal/httpapi":      {"sql", "sql/text", "model"},
		"query/batch":           {"internal/httpapi"},
		"backtest/report":       {"internal/httpapi"},
		"internal/site":         {"sql", "sql/text", "internal/account/area"},
		"internal/site/locale":  {"backtest", "internal/site", "internal/httpapi"},
		"internal/site/chart":   {"backtest", "internal/site", "internal/httpapi"},
		"backtest/summarytable": {"internal/httpapi"},
	} {
		for _, needed := range dependencies(t, from) {
			if slices.Contains(forbidden, needed) {
				t.Errorf("%s imports %s", from, needed)
			}
		}
	}
}

// Tools for language models are clients of the API: what they answer, any other client can get.
func TestToolsForModelsKnowOnlyTheClientOfTheAPI(t *testing.T) {
	for part, allowed := range map[string][]string{"client": nil, "internal/agent": {"client"}} {
		if needed := dependencies(t, part); !slices.Equal(needed, allowed) {
			t.Errorf("%s imports %v of ours, want %v", part, needed, allowed)
		}
	}
}

func TestTheEngineOfBacktestsKnowsNoSQL(t *testing.T) {
	for from, allowed := range map[string][]string{
		"backtest":         {"model"},
		"backtest/history": {"backtest", "model", "sql", "sql/text", "internal/bounded", "internal/rowbinary"},
	} {
		for _, needed := range dependencies(t, from) {
			if !slices.Contains(allowed, needed) {
				t.Errorf("%s imports %s", from, needed)
			}
		}
	}
}

// Only the pages of the market and the feeds need a stage of the flow: they take what the endpoints of query find.
func TestPagesAndBacktestsImportNoStageOfTheFlow(t *testing.T) {
	parts := append(packagesOf(t, "internal/site"), packagesOf(t, "backtest")...)
	ofMarket := []string{"internal/site/marketpages", "internal/site/feeds"}
	for _, part := range append(parts, "internal/httpapi", "internal/account/area") {
		for _, needed := range dependencies(t, part) {
			if stage := stageOf(needed); stage != "" && (!slices.Contains(ofMarket, part) || stage != "query") {
				t.Errorf("%s imports %s", part, needed)
			}
			if strings.HasPrefix(needed, "internal/embedded") {
				t.Errorf("%s imports %s", part, needed)
			}
		}
	}
}

// Pages have no SQL of their own: those of the market take what the endpoints find, and no other page needs an
// endpoint.
func TestPagesImportTheEndpointsAndNotWhatStandsBelowThem(t *testing.T) {
	for pages, forbidden := range map[string][]string{
		"marketpages":  {"query", "internal/account/area"},
		"accountpages": {"sql", "sql/text", "internal/account/area"},
		"docspages":    {"sql", "sql/text", "internal/account/area"},
		"feeds":        {"query", "internal/account/area"},
	} {
		for _, needed := range dependencies(t, "internal/site/"+pages) {
			if slices.Contains(forbidden, needed) {
				t.Errorf("internal/site/%s imports %s", pages, needed)
			}
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`,
		"cuota/internal/site/marketpages").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if slices.Contains([]string{"cuota/sql", "cuota/sql/text", "cuota/query/batch", "cuota/query/past",
			"cuota/query/bulk"}, name) {
			t.Errorf("internal/site/marketpages imports %s", name)
		}
	}
}

// A variable with the name of a function of its package hides the function from whoever reads on.
func TestNoVariableHidesAFunctionOfItsPackage(t *testing.T) {
	packages := 0
	read := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		set, functions := token.NewFileSet(), map[string]bool{}
		var parsed []*ast.File
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				return err
			}
			parsed = append(parsed, file)
			for _, declared := range file.Decls {
				if function, is := declared.(*ast.FuncDecl); is && function.Recv == nil {
					functions[function.Name.Name] = true
				}
			}
		}
		if len(functions) > 0 {
			packages++
		}
		for _, file := range parsed {
			for _, name := range variables(file) {
				if functions[name.Name] {
					t.Errorf("%v: %s is a function of the package too", set.Position(name.Pos()), name.Name)
				}
			}
		}
		return nil
	}
	for _, root := range []string{"../../ingest", "../../projector", "../../query", "."} {
		if err := filepath.WalkDir(root, read); err != nil {
			t.Error(err)
		}
	}
	if packages < 30 {
		t.Errorf("only %d packages were read", packages)
	}
}

// variables returns the names that functions of a file declare: parameters, results and variables.
func variables(file *ast.File) (names []*ast.Ident) {
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			names = append(names, field.Names...)
		}
	}
	declared := func(list ...ast.Expr) {
		for _, each := range list {
			if name, is := each.(*ast.Ident); is {
				names = append(names, name)
			}
		}
	}
	for _, function := range file.Decls {
		ast.Inspect(function, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.InterfaceType: // names of parameters there hide nothing
				return false
			case *ast.FuncDecl:
				fields(node.Recv)
			case *ast.FuncType:
				fields(node.Params)
				fields(node.Results)
			case *ast.AssignStmt:
				if node.Tok == token.DEFINE {
					declared(node.Lhs...)
				}
			case *ast.RangeStmt:
				if node.Tok == token.DEFINE {
					declared(node.Key, node.Value)
				}
			case *ast.DeclStmt:
				for _, spec := range node.Decl.(*ast.GenDecl).Specs {
					if value, is := spec.(*ast.ValueSpec); is {
						names = append(names, value.Names...)
					}
				}
			}
			return true
		})
	}
	return names
}

// Whoever reads summary.Read or searches for it finds one package.
func TestNamesOfPackagesAreUnique(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Name}} {{.ImportPath}}", "cuota/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if other, taken := paths[name]; taken && name != "main" {
			t.Errorf("%s and %s are both named %s", other, path, name)
		}
		paths[name] = path
	}
	if len(paths) < 80 {
		t.Errorf("only %d names of packages were read", len(paths))
	}
}

func TestNamesOfTestsHaveFewerThanSixtyCharacters(t *testing.T) {
	names := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w{56,})\(`)
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, name := range names.FindAllSubmatch(text, -1) {
			t.Errorf("%s: %s has %d characters; say the rule alone", path, name[1], len(name[1]))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

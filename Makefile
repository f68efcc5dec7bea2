# The tasks of development, one target for each. "make help" lists them.

SHELL       := bash
.DEFAULT_GOAL := help

DATA        ?= data
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ERRCHECK    := github.com/kisielk/errcheck@v1.30.0
FUZZTIME    ?= 20s
COPIES      ?= 2
PORT        ?= 8080
RESTART     ?= 20
PROFILES    ?= up disk servers projectors copies
SEEDS       ?= 1 2 3
FAULTS      ?= 100
KILLS       ?= 200
BATCHES     ?= 50
SERIES      ?= 600
DAYS        ?= 730

# All targets compile alike, so that make test uses what make run compiled (docs/decisions/0081).
# Tables for debuggers are left out; the traces of a panic don't need them.
export GOFLAGS := -trimpath -ldflags=-w $(or $(GOFLAGS),$(shell go env GOFLAGS))

# Path of the ClickHouse engine library: $CHDB_LIB_PATH, or the cache, where the
# script puts the pinned one.
ENGINE = $$(scripts/fetch-engine)

.PHONY: help
help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

.PHONY: run
run: build ## build, and start everything on a data directory (DATA=data ARGS="--listen …")
	@CHDB_LIB_PATH=$(ENGINE) exec bin/cuota up --data $(DATA) $(ARGS)

# Two sizes are two markets, so that the directory of the files names the size.
.PHONY: demo-market
demo-market: DATA = data/market
demo-market: build ## the same on a synthetic market, with its distributions (SERIES=600 DAYS=730 DATA=data/market)
	@test -e $(DATA)/synthetic-$(SERIES)x$(DAYS) || bin/cuota synth --series $(SERIES) --days $(DAYS) --out $(DATA)/synthetic-$(SERIES)x$(DAYS)
	@CUOTA_RETURNS="$${CUOTA_RETURNS:-clp,real_uf,total}" CHDB_LIB_PATH=$(ENGINE) exec bin/cuota up --data $(DATA) --no-demo --market $(DATA)/synthetic-$(SERIES)x$(DAYS) $(ARGS)

.PHONY: copies
copies: DATA = data/copies
copies: build ## several copies of the tables with their own servers, behind nginx, to try them out (COPIES=2 PORT=8080 MARKET= RESTART=20 DATA=data/copies)
	@DATA=$(DATA) COPIES=$(COPIES) PORT=$(PORT) MARKET=$(MARKET) RESTART=$(RESTART) exec scripts/copies

.PHONY: build
build: engine ## leave the program in bin/cuota
	go build -ldflags "-s -w" -o bin/cuota ./cmd/cuota

.PHONY: engine
engine: ## fetch the pinned ClickHouse engine library into the cache
	@scripts/fetch-engine >/dev/null

# The longest packages come first. Their tests mostly wait for the engine, so 4 run at once
# even on 2 processors; those of cmd/cuota run one by one, beside the others.
PACKAGES := ./projector ./cmd/cuota ./query ./internal/site/marketpages ./internal/alert ./...

# make lint vets all packages, so tests do not vet theirs once more.
GOTEST := go test -vet=off

.PHONY: test
test: engine ## run the tests, on the real engines too, without those that take long (a share of them with CUOTA_TEST_TURN=0/8)
	CHDB_LIB_PATH=$(ENGINE) $(GOTEST) -short -shuffle=on -timeout 30m -parallel 4 $(PACKAGES)

.PHONY: test-all
test-all: engine ## run every test (more than an hour on 2 processors)
	CHDB_LIB_PATH=$(ENGINE) $(GOTEST) -shuffle=on -timeout 120m -parallel 4 $(PACKAGES)

.PHONY: examples
examples: engine ## write the examples of query/openapi.json anew, from the answers of the demo market
	CHDB_LIB_PATH=$(ENGINE) go test ./query ./internal/account/area -count=1 -update \
		-run 'TestTheDemoMarketIsWhatItsFilesSay/^the_examples_of_the_document|TestTheExamplesOfTheDocumentAreAnswers'

.PHONY: screenshots
screenshots: engine ## open every page in Chromium in eight looks, leave pictures in bin/screenshots, and the README's in docs/screenshots
	CHDB_LIB_PATH=$(ENGINE) CUOTA_TEST_SCREENSHOTS=$(CURDIR)/bin/screenshots go test ./internal/site/marketpages -count=1 -run TestEveryPageIsReadableInARealBrowser
	cp bin/screenshots/readme.png docs/screenshots/market.png

.PHONY: torture
torture: engine ## cause faults in complete installations (PROFILES="up disk servers projectors copies" SEEDS="1 2 3" FAULTS=100), restart projectors in turns (BATCHES=50), and kill starts (KILLS=200)
	CHDB_LIB_PATH=$(ENGINE) CUOTA_TEST_TORTURE="$(PROFILES)" CUOTA_TEST_TORTURE_SEEDS="$(SEEDS)" CUOTA_TEST_TORTURE_FAULTS=$(FAULTS) CUOTA_TEST_KILLS=$(KILLS) CUOTA_TEST_TORTURE_BATCHES=$(BATCHES) \
		go test -v -count=1 -timeout 24h ./cmd/cuota -run '^Test(NoFaultLosesDoublesOrFalsifiesAnything|ProjectorsThatAreRestartedInTurnsPublishEveryBatch|CopiesAgreeAndNoReaderGoesBack|TheLevelsAfterManyBatchesAreNotThoseOfALeak|DamagedFilesAreMendedByTheNextStart|AFirstStartThatIsKilledIsTakenUpByTheNext)$$'

.PHONY: test-kafka
test-kafka: engine ## run the event log's tests and the demo's roles on a real Apache Kafka broker (needs Java 17, Maven)
	CHDB_LIB_PATH=$(ENGINE) scripts/test-kafka

.PHONY: race
race: engine ## run the tests of the concurrent packages with the race detector
	CHDB_LIB_PATH=$(ENGINE) $(GOTEST) -race -shuffle=on -timeout 20m ./ingest ./internal/... ./query ./cmd/cuota-bench/load

.PHONY: race-and-fuzz-shortly
race-and-fuzz-shortly: ## the race detector and a second of each fuzz target, for packages without engines
	$(GOTEST) -race -shuffle=on -timeout 5m ./internal/loop ./internal/health ./internal/httpapi ./internal/embedded/kafka ./ingest/scrape
	FUZZTIME=1s scripts/fuzz internal/embedded/clickhouse/door internal/embedded/kafka internal/httpapi ingest/scrape

.PHONY: fuzz
fuzz: engine ## fuzz each parser for FUZZTIME (20s)
	CHDB_LIB_PATH=$(ENGINE) FUZZTIME=$(FUZZTIME) scripts/fuzz

.PHONY: bench
bench: engine ## measure the pipeline and the API against bare references, in one run of up to half an hour (BENCH="-only …")
	CHDB_LIB_PATH=$(ENGINE) go run ./cmd/cuota-bench $(BENCH)

.PHONY: fmt
fmt: ## format the code
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')

.PHONY: lint
lint: ## formatting, vet, staticcheck, errcheck, tidy
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
		if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go mod tidy -diff
	go run $(STATICCHECK) ./...
	go run $(ERRCHECK) -exclude .errcheck ./...

.PHONY: cross
cross: cross-shortly ## build and vet for macOS on arm64, which compiles all that differs on machines without the engine library
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go build -o /dev/null ./cmd/cuota
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet ./cmd/cuota/...

.PHONY: cross-shortly
cross-shortly: ## the packages alone that have files for one system, with what they import
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet ./internal/embedded/...

.PHONY: clean
clean: ## remove build results; data and cache stay
	rm -rf bin

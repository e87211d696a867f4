# The verbs of this project; .ci/run calls the same ones. Each works on every
# module of the tree: what has a go.mod, but for the tools and what lies below
# a testdata folder of a module (testdata/consumer is a module of its own).

MODULES := $(shell find . -name go.mod -not -path './tools/*' -not -path './*/testdata/*' | xargs -n 1 dirname | sort)
TOOL    := go tool -modfile=$(CURDIR)/tools/go.mod
EACH     = set -e; for m in $(MODULES); do echo "-- $$m: $(1)"; (cd "$$m" && $(1)); done

BENCH    ?= .
COUNT    ?= 10
FUZZTIME ?= 10000x

.PHONY: help fmt lint test race fuzz bench live live-build vuln examples check

help: ## what the verbs do
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

fmt: ## format the code
	@$(call EACH,$(TOOL) golangci-lint fmt ./...)

lint: ## gofmt, go.mod, vet and the linters of .golangci.yml; changes nothing
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt would change:"; echo "$$files"; exit 1; }
	@$(call EACH,go mod tidy -diff)
	@$(call EACH,go vet ./...)
	@$(call EACH,$(TOOL) golangci-lint run ./...)

test: ## the tests, once and fast
	@$(call EACH,go test ./...)

race: ## the tests with the race detector in random order, and the coverage gate
	@tools/race.sh $(MODULES)

fuzz: ## each fuzz target for FUZZTIME (a count such as 10000x, or a time)
	@FUZZTIME=$(FUZZTIME) tools/fuzz.sh $(MODULES)

bench: ## the benchmarks that match BENCH, COUNT times, summed up by benchstat
	@mkdir -p .out
	@{ $(call EACH,go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) ./...); } | tee .out/bench.txt
	@$(TOOL) benchstat .out/bench.txt

live: ## the tests against the real vendor: they cost money (see CONTRIBUTING.md)
	@$(call EACH,go test -tags live -run '^TestLive' -count 1 -v ./...)

live-build: ## compile the live tests, run none
	@$(call EACH,go test -tags live -run '^$$' ./... >/dev/null)

vuln: ## known vulnerabilities in what the code calls
	@tools/vuln.sh $(MODULES)

examples: ## build the examples and run those that end by themselves
	@$(call EACH,go build -o /dev/null ./...)
	go run ./examples/quickstart
	cd examples/telemetry && go run . -for 2s -addr 127.0.0.1:0 >/dev/null
	cd examples/bench && go run . -quick

check: lint examples live-build fuzz vuln race ## everything that CI checks

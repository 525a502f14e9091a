# Shortcuts; scripts/test holds what they do.
.PHONY: all build test unit lint conformance interop fuzz docs golden clean

all: test

build: ## the command-line tool
	go build -o bin/diglot ./cmd/diglot

test: ## everything CI runs
	scripts/test

unit lint conformance interop fuzz docs:
	scripts/test $@

golden: ## write golden files anew; read the diff
	go test ./... -update

clean:
	rm -rf bin out

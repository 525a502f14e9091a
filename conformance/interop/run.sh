#!/usr/bin/env bash
# Installs the npm peers at their pinned versions and runs the interop tests.
# Arguments go to the test: -update writes docs/interop.md, -run picks cells.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
if ! [ node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
exec go test -race -count=1 -timeout 20m . "$@"

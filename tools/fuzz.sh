#!/usr/bin/env bash
# Runs each fuzz target of the given modules for FUZZTIME. The default is a
# count: with a time, Go before 1.27 fails now and then at the end of it
# (golang/go#75804).
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT

found=0
for module in "$@"; do
	cd "$module"
	for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
		dir=$(go list -f '{{.Dir}}' "$package")
		grep -qs '^func Fuzz' "$dir"/*_test.go || continue
		for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz'); do
			found=$((found + 1))
			start=$SECONDS
			go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10000x}" "$package" >"$log" 2>&1 ||
				{ cat "$log"; exit 1; }
			echo "$target ${package##*/}: $(sed -n 's/.*\(execs: [0-9]*\).*/\1/p' "$log" | tail -n 1) in $((SECONDS - start)) s"
		done
	done
	cd - >/dev/null
done
echo "fuzz targets: $found"

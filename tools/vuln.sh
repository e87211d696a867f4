#!/usr/bin/env bash
# Runs govulncheck on the given modules. Its database is the Go module
# golang.org/x/vulndb at the version in tools/go.mod, so nothing but the module
# proxy is asked.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
tool() { go tool -modfile="$top/tools/go.mod" "$@"; }

# The standard library of Go 1.26.8 has known holes which 1.26.9 and 1.26.10
# mend, so the check looks at the code as a newer Go builds it. Where that Go
# cannot be had, exactly these entries are let through.
newer=go1.27.3
allowed=''
if ! GOTOOLCHAIN=$newer go version >/dev/null 2>&1; then
	echo "no $newer here: the holes of the standard library of $(go env GOVERSION) are let through"
	allowed='GO-2026-6603 GO-2026-6607 GO-2026-6611 GO-2026-6612 GO-2026-6613 GO-2026-6617 GO-2026-6809'
	newer=$(go env GOVERSION)
fi
export GOTOOLCHAIN=$newer

version=$(go list -modfile=tools/go.mod -m -f '{{.Version}}' golang.org/x/vulndb)
db=$top/.vulndb/$version
if [ ! -d "$db" ]; then
	rm -rf .vulndb
	go mod download -modfile=tools/go.mod golang.org/x/vulndb
	source=$(go list -modfile=tools/go.mod -m -f '{{.Dir}}' golang.org/x/vulndb)
	tool indexdb -out "$db.new" -vulns "$source/data/osv"
	mv "$db.new" "$db"
fi

status=0
for module in "$@"; do
	echo "-- $module: govulncheck"
	report=$(cd "$module" && tool govulncheck -db "file://$db" ./...) && { echo "$report"; continue; }
	for id in $(sed -n 's/^Vulnerability #[0-9]*: //p' <<<"$report"); do
		case " $allowed " in *" $id "*) ;; *) status=1; bad=$report ;; esac
	done
	grep -q '^Vulnerability #' <<<"$report" || { status=1; bad=$report; } # it failed otherwise
	[ $status = 0 ] || echo "${bad}"
done
exit $status

#!/usr/bin/env bash
# Runs the tests of the given modules with the race detector in random order,
# then holds the packages that users trust to a coverage of their own tests.
# The last line sums up all modules.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD out=$PWD/.out
gated='send token engine bizppurio'
least=85

mkdir -p "$out"
rm -f "$out"/race-*.json "$out/cover.out"
n=0 status=0
for module in "$@"; do
	n=$((n + 1))
	echo "-- $module: go test -race -shuffle=on ./..."
	cover=()
	[ "$module" != . ] || cover=(-coverprofile="$out/cover.out")
	(cd "$module" && go tool -modfile="$top/tools/go.mod" gotestsum --format pkgname --format-hide-empty-pkg \
		--jsonfile "$out/race-$n.json" -- -race -shuffle=on "${cover[@]}" ./...) || status=1
done

if [ -f "$out/cover.out" ]; then
	echo "-- coverage by a package's own tests, at least $least % of $gated"
	awk -v gated="$gated" -v least="$least" '
		NR > 1 {
			dir = $1; sub(/\/[^\/]*$/, "", dir)
			all[dir] += $2; if ($3 > 0) hit[dir] += $2
		}
		END {
			for (dir in all) { name = dir; sub(/.*\//, "", name); share[name] = 100 * hit[dir] / all[dir] }
			split(gated, names, " ")
			for (i = 1; i in names; i++) {
				printf "%-12s %5.1f %%\n", names[i], share[names[i]]
				if (share[names[i]] < least) low = 1
			}
			exit low
		}' "$out/cover.out" || { echo "coverage: below $least %"; status=1; }
fi

count() { cat "$out"/race-*.json | grep "\"Action\":\"$1\"" | grep -c '"Test":' || true; }
echo "tests: $(count pass) passed, $(count fail) failed, $(count skip) skipped" | tee "$out/tests"
exit $status

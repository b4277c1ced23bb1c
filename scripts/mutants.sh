#!/usr/bin/env bash
# Shows that the test of all combinations (tests/law) finds bugs: builds and runs it with each mutant of
# tests/law/mutants.
# Usage: scripts/mutants.sh [-k] [FOLDER]   -k: uses the tree in FOLDER, with its build folder, without copying to it
# Default FOLDER: build/mutants, a copy of this tree, which is kept so that the next run builds less.
# Prints one line per mutant: the case of 200 that found it, its seed, and the time. Ends with 1 if a mutant survives.
set -euo pipefail
cd "$(dirname "$0")/.."

keep=no
if [[ ${1:-} == -k ]]; then
  keep=yes
  shift
fi
folder=$(realpath --canonicalize-missing "${1:-build/mutants}")
if [[ $keep == no ]]; then
  mkdir -p "$folder"
  git ls-files -z | xargs --null cp --parents --preserve=timestamps --update --target-directory="$folder"
fi
patches=$PWD/tests/law/mutants
cd "$folder"
cmake --preset test >/dev/null

build() {
  cmake --build --preset test --target law_test >build/mutant.log 2>&1 || {
    tail -n 30 build/mutant.log
    return 1
  }
}

survivors=0
for mutant in "$patches"/*.patch; do
  patch --quiet --strip=1 <"$mutant"
  build
  start=$(date +%s.%N)
  result="survives"
  if ! CAVS_TEAM=together CAVS_LAW_SHRINK=0 CAVS_LAW_TRACE=1 timeout 600 build/release/bin/law_test \
    --gtest_filter=Law.HoldsForAllCombinations >build/mutant.log 2>&1; then
    cases=$(sed -n 's/^Falsifiable after \([0-9]*\) .*/\1/p' build/mutant.log)
    seed=$(sed -n 's/^case \([0-9]*\).*/\1/p' build/mutant.log | tail -n 1)
    law=$(sed -n '/^RC_FAIL/{n;n;p}' build/mutant.log | cut -d: -f1)
    result="found by case ${cases:-that ended the program} (seed $seed): ${law:-$(tail -n 1 build/mutant.log)}"
  else
    survivors=$((survivors + 1))
  fi
  printf '%-28s %s, %.1f s\n' "$(basename "$mutant" .patch)" "$result" "$(bc <<<"$(date +%s.%N) - $start")"
  patch --quiet --strip=1 --reverse <"$mutant"
done
exit $((survivors > 0))

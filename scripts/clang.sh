#!/usr/bin/env bash
# Compiles everything with clang 14, without unity builds, and with the newest clang of this Debian. Warnings are
# errors. Nothing is run, so nothing is optimised.
# Usage: scripts/clang.sh [VERSION...]   (default: 14 and the newest)
set -euo pipefail
cd "$(dirname "$0")/.."

versions=("$@")
if [[ ${#versions[@]} -eq 0 ]]; then
  newest=$(apt-cache pkgnames clang- | sed --quiet --regexp-extended 's/^clang-([0-9]+)$/\1/p' | sort --numeric-sort | tail --lines=1)
  versions=(14 "$newest")
fi
for version in "${versions[@]}"; do
  if ! command -v "clang++-$version" >/dev/null; then
    scripts/setup.sh "clang-$version"
  fi
  unity=OFF flags=
  # Newer clangs warn of std::stable_sort in libstdc++ 12, which calls a deprecated function of libstdc++.
  [[ $version == 14 ]] || unity=ON flags=-Wno-deprecated-declarations
  echo "== clang $version"
  cmake --preset clang -B "build/clang-$version" -DCMAKE_CXX_COMPILER="clang++-$version" \
    -DCMAKE_CXX_FLAGS_RELEASE="-O0 $flags" -DCMAKE_UNITY_BUILD="$unity" >/dev/null
  cmake --build "build/clang-$version" --target all slow_tests -- -k 0
done

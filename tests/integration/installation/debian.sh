#!/usr/bin/env bash
# Installs the Debian packages of a release on a machine that has nothing (scripts/bare-machine.sh), uses the command,
# and builds a user's program with pkg-config and with CMake.
# Argument: the folder of the packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 work=$(mktemp --directory)
export DEBIAN_FRONTEND=noninteractive

fail() {
  echo "debian packages: $*" >&2
  exit 1
}

install() {
  local log=$work/apt.log
  apt-get --quiet --yes --no-install-recommends install "$@" >"$log" 2>&1 || fail "apt-get install $*: $(cat "$log")"
}

# For each vertex of the trees in main.cc: the number of vertices in its subtree.
expect_counts() {
  local output
  output=$("$1") || fail "$1 ended with exit code $?"
  [[ $output == "1 1 3 1 2 " ]] || fail "$1 printed '$output', expected '1 1 3 1 2 '"
}

apt-get --quiet=2 update
processor=$(dpkg --print-architecture)
install "$folder"/cavs_*_"$processor".deb
cd "$work"
cavs --version
cavs train tree-lstm --epochs 1 --limit 64 --save model.cavs
cavs eval model.cavs
files=$(dpkg --listfiles cavs)
for file in /usr/share/man/man1/cavs-train.1 /usr/share/bash-completion/completions/cavs /usr/share/doc/cavs/copyright \
  /usr/share/doc/cavs/docs/start/install.md; do
  grep --quiet --line-regexp "$file" <<<"$files" || fail "$file is not in the package cavs"
done

install "$folder"/libcavs[0-9]*_"$processor".deb "$folder"/libcavs-dev_*_"$processor".deb g++ cmake make pkg-config
# shellcheck disable=SC2046  # flags are words
g++ -std=c++20 "$here/main.cc" $(pkg-config --cflags --libs cavs) -o with_pkg_config
expect_counts ./with_pkg_config
cmake -S "$here" -B project -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build project >build.log || fail "$(cat build.log)"
expect_counts project/uses_cavs
expect_counts project/uses_shared

apt-get --quiet=2 --yes purge cavs libcavs-dev 'libcavs[0-9]*' >/dev/null
left=$(find /usr -path '*cavs*' -not -path '/usr/share/doc/*' | head)
[[ -z $left ]] || fail "files are left after the packages are removed: $left"
echo "debian packages: installed, used and removed"

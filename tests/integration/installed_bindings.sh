#!/usr/bin/env bash
# Compiles the Python bindings against the installed headers and against helpers that include nothing of the library.
# Checks that the shared library exports every function that the bindings call.
# Arguments: cmake, the build folder, the compiler, its flags, then folders of headers (nanobind's, Python's).
set -euo pipefail
cmake=$1 build=$2 compiler=$3 flags=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
bindings=$here/../../python/bindings
work=$(mktemp --directory)
trap 'rm --recursive --force "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"
mkdir --parents "$work/helpers/support"
for helper in $(python3 "$here/../../scripts/rooms.py" --helpers); do
  cp "$here/../../src/$helper" "$work/helpers/support"
done
includes=(-I "$work/prefix/include" -I "$work/helpers" -I "$bindings")
for folder in "$@"; do includes+=(-isystem "$folder"); done

# shellcheck disable=SC2086  # flags are words
find "$bindings" -name '*.cc' -print0 | (cd "$work" && xargs --null --max-procs="$(nproc)" --max-args=1 \
  "$compiler" $flags -std=c++20 -fPIC -fvisibility=hidden -DFMT_SHARED "${includes[@]}" -c)

# Names in the output of nm, one per line: names that the objects need but lack, and names that the library exports.
names() { sed --regexp-extended 's/^[0-9a-f ]* [a-zA-Z] //; s/@.*//' | grep '^_ZN*K*4cavs4v0_1\|^_ZT[ISV]N4cavs4v0_1' | sort --unique; }
comm -23 <(nm --undefined-only "$work"/*.o | names) <(nm --defined-only "$work"/*.o | names) >"$work/needed"
nm --dynamic --defined-only "$(find "$work/prefix" -name 'libcavs.so')" | names >"$work/exported"
missing=$(comm -23 "$work/needed" "$work/exported" | c++filt)
if [[ -n $missing ]]; then
  echo "the Python bindings call functions that the shared library does not export: $missing"
  exit 1
fi
echo "$(wc --lines <"$work/needed") names of the library's $(wc --lines <"$work/exported") are called"
[[ $(wc --lines <"$work/needed") -gt 100 ]] || {
  echo "expected more than 100: the names were not found"
  exit 1
}

#!/usr/bin/env bash
# Builds the command against the installed library, static and shared. The only other sources are the command's and
# helpers that include nothing of the library. Compares the output with the command of the build. Arguments: cmake, the
# build folder, the compiler, its flags (a sanitizer's must match).
set -euo pipefail
cmake=$1 build=$2 compiler=$3 flags=$4
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp --directory)
trap 'rm --recursive --force "$work"' EXIT

fail() {
  echo "the command from installed headers: $*" >&2
  exit 1
}

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || fail "$(cat "$work/install.log")"
mkdir --parents "$work/sources/support"
cp --recursive "$root"/src/{cli,measure} "$work/sources"
for helper in $(python3 "$root/scripts/rooms.py" --helpers); do cp "$root/src/$helper" "$work/sources/support"; done
"$cmake" -S "$root/tests/integration/installed_command" -B "$work/build" -DSOURCES="$work/sources" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags -O0" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
"$cmake" --build "$work/build" --parallel "$(nproc)" >"$work/build.log" || fail "$(tail --lines=40 "$work/build.log")"

# Output without times.
answers() {
  "$1" --version
  "$1" ops
  "$1" inspect tree-lstm --placement
  "$1" schedule tree-lstm-binary --batch-size 4 --script --check-script
  "$1" train tree-lstm --hidden 8 --embedding 4 --limit 20 --epochs 1 --threads 1 --save "$2" --json --quiet |
    sed --regexp-extended 's/"(seconds|samples_per_second|checkpoint)":[^,}]*/"\1"/g'
  echo '[MAX 2 9 [MIN 4 7] 0]' | "$1" predict "$2"
}
answers "$build/bin/cavs" "$work/expected.cavs" >"$work/expected"
for library in cavs shared; do
  answers "$work/build/command_with_$library" "$work/$library.cavs" >"$work/answers" 2>"$work/errors" ||
    fail "with cavs::$library the command fails: $(cat "$work/errors")"
  diff "$work/expected" "$work/answers" || fail "with cavs::$library the command prints something else"
  cmp "$work/expected.cavs" "$work/$library.cavs" || fail "with cavs::$library the command saves another checkpoint"
done

#!/usr/bin/env bash
# Installs a build into an empty prefix and checks its files. Then builds a user's project against it with find_package
# and with pkg-config, and builds and runs the examples and the program of README.md.
# Arguments: cmake, the build folder, the compiler, its flags (a sanitizer's must match).
set -euo pipefail
cmake=$1 build=$2 compiler=$3 flags=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp --directory)
trap 'rm --recursive --force "$work"' EXIT

fail() {
  echo "installation test: $*" >&2
  exit 1
}

# For each vertex of the trees in main.cc: the number of vertices in its subtree.
expect_counts() {
  local output expected="1 1 3 1 2 "
  output=$("$1") || fail "$1 ended with exit code $?"
  [[ $output == "$expected" ]] || fail "$1 printed '$output', expected '$expected'"
}

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || fail "$(cat "$work/install.log")"
# Moves the package, so that paths of the build machine in it are detected.
mv "$work/prefix" "$work/moved"

# Checks the command's manual pages (if help2man exists), its completion, and the documents, whose links must lead to
# installed files.
if [[ -x $work/moved/bin/cavs ]]; then
  pages=cavs
  for name in $("$work/moved/bin/cavs" completion "cavs "); do pages+=" cavs-$name"; done
  command -v help2man >/dev/null || pages=
  for page in $pages; do
    [[ -s $work/moved/share/man/man1/$page.1 ]] || fail "share/man/man1/$page.1 is not installed"
  done
  "$work/moved/bin/cavs" completion | cmp --silent - "$work/moved/share/bash-completion/completions/cavs" ||
    fail "share/bash-completion/completions/cavs is not the script that 'cavs completion' prints"
fi
documents=$work/moved/share/doc/cavs
cmp --silent "$here/../../../LICENSE" "$documents/LICENSE" || fail "the licence is not in $documents"
for folder in docs examples; do
  diff --recursive "$here/../../../$folder" "$documents/$folder" || fail "$folder/ is not installed as it is"
done
while read -r link; do
  [[ -e $documents/$link ]] || fail "README.md is installed without '$link', to which it links"
done < <(grep --only-matching --perl-regexp '\]\(\K[^)#:]+(?=[)#])' "$documents/README.md")

# A package is built below DESTDIR for another prefix.
DESTDIR=$work/stage "$cmake" --install "$build" --prefix /opt/cavs >"$work/stage.log" || fail "$(cat "$work/stage.log")"
(cd "$work/stage/opt/cavs" && find . -type f) | sort >"$work/staged"
(cd "$work/moved" && find . -type f) | sort | diff - "$work/staged" ||
  fail "DESTDIR changes the installed files"
[[ $(ls "$work/stage") == opt ]] || fail "files outside of the prefix: $(ls "$work/stage")"
steps=$(make --directory "$here/../../.." --dry-run install PREFIX=/opt/cavs DESTDIR=/stage)
[[ $steps == *'DESTDIR="/stage" cmake --install build/release --prefix "/opt/cavs"'* ]] ||
  fail "make install does not honour PREFIX and DESTDIR: $steps"

surplus=$(find "$work/moved/include" -type f -not -path '*/include/cavs/*.h')
[[ -z $surplus ]] || fail "headers outside include/cavs are installed: $surplus"
for header in "$work"/moved/include/cavs/*.h; do
  # shellcheck disable=SC2086  # flags are words
  "$compiler" $flags -std=c++20 -fsyntax-only -x c++ -I "$work/moved/include" "$header" ||
    fail "$(basename "$header") cannot be included on its own"
  name=cavs/$(basename "$header")
  [[ $name != cavs/cavs.h && $name != cavs/mpi.h ]] || continue  # cavs::mpi is a library of its own
  grep --quiet --fixed-strings "#include \"$name\"" "$work/moved/include/cavs/cavs.h" ||
    fail "cavs/cavs.h does not include $name"
done

# Builds the project of folder $1 in $work/$2.
build_project() {
  "$cmake" -S "$1" -B "$work/$2" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
  "$cmake" --build "$work/$2" --parallel 2 >"$work/$2.log" || fail "$(cat "$work/$2.log")"
}
build_project "$here" project
expect_counts "$work/project/uses_cavs"
expect_counts "$work/project/uses_shared"

# The shared library exports what its headers declare, in the namespace of its version.
shared=$(find "$work/moved" -name 'libcavs.so.*.*.*')
[[ $(readelf --dynamic "$shared") == *"soname: [libcavs.so.0.1]"* ]] || fail "$shared does not have soname libcavs.so.0.1"
exported=$(nm --dynamic --defined-only --demangle "$shared" | cut --delimiter=' ' --fields=3-)
[[ $exported == *'cavs::v0_1::Model::Model('* ]] || fail "$shared does not export cavs::Model"
others=$(grep --invert-match --extended-regexp '^((typeinfo|typeinfo name|vtable) for )?cavs::v0_1::| cavs::v0_1::option_name|^CAVS_0.1' <<<"$exported" || true)
[[ -z $others ]] || fail "$shared exports other names: $others"
internal=$(grep --extended-regexp 'cavs::v0_1::(cpu|cuda|reference|Program|Schedule|Plan|Engine)::' <<<"$exported" || true)
[[ -z $internal ]] || fail "$shared exports what no header declares: $internal"

# The examples fail if their results are wrong. They run with the static and with the shared library.
build_project "$here/../../../examples" examples
mkdir "$work/examples_shared"
sed 's/cavs::cavs/cavs::shared/' "$here/../../../examples/CMakeLists.txt" >"$work/examples_shared/CMakeLists.txt"
cp "$here"/../../../examples/*.cc "$work/examples_shared"
build_project "$work/examples_shared" examples_with_shared
(cd "$work/examples_with_shared" && ./custom_operator >custom_operator.log 2>&1) ||
  fail "custom_operator with the shared library: $(cat "$work/examples_with_shared/custom_operator.log")"
for example in custom_cell custom_operator custom_graphs custom_network edge_features training; do
  (cd "$work/examples" && "./$example" >"$example.log" 2>&1) || fail "$example: $(cat "$work/examples/$example.log")"
done
# The command does not know the operator in advance.
if [[ -x $work/moved/bin/cavs ]]; then
  "$work/moved/bin/cavs" inspect "$work/examples/custom_operator.safetensors" >"$work/inspect.log"
  grep --quiet '  softplus(x0) = max(x0, 0) + log(exp(-abs(x0)) + 1)' "$work/inspect.log" ||
    fail "cavs inspect does not show the operator of the example: $(cat "$work/inspect.log")"
fi

pkg_config_path=$(dirname "$(find "$work/moved" -name cavs.pc)")
options=$(PKG_CONFIG_PATH=$pkg_config_path pkg-config --cflags --libs cavs)
library_dir=$(dirname "$pkg_config_path")
# shellcheck disable=SC2086  # flags are words
"$compiler" $flags -std=c++20 "$here/main.cc" $options "-Wl,-rpath,$library_dir" -o "$work/with_pkg_config"
expect_counts "$work/with_pkg_config"

# Builds the program of README.md in both ways that README.md shows. Its accuracy differs with the instruction set.
expect_answers() {
  local output
  output=$(cd "$work" && "$1") || fail "$1 ended with exit code $?"
  [[ $output =~ ^"accuracy on new expressions: "[5-9][0-9]\.[0-9]" %"$'\n'"[MAX 2 9 [MIN 4 7] 0] is 9"$ ]] ||
    fail "$1 printed '$output', expected an accuracy of 50 % or more, and 9"
}
mkdir "$work/readme"
by_hand=$(python3 "$here/../documents.py" "$work/readme")
build_project "$work/readme" readme_build
expect_answers "$work/readme_build/listops"
(
  cd "$work/readme"
  export PKG_CONFIG_PATH=$pkg_config_path LD_LIBRARY_PATH=$library_dir
  # shellcheck disable=SC2086,SC2317  # flags are words; called by the command of README.md
  g++() { command "$compiler" $flags "$@"; }
  eval "$by_hand"
) >"$work/by_hand.log" || fail "'$by_hand' failed or printed no answers: $(cat "$work/by_hand.log")"

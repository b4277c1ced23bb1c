#!/usr/bin/env bash
# Checks format, common mistakes, shell scripts and the length of source files. Changes nothing.
# Usage: scripts/lint.sh [FILE...]   (default: every tracked file)
set -euo pipefail
cd "$(dirname "$0")/.."

llvm=14        # one version, so that everybody gets the same format
max_lines=400  # split longer files

for tool in "clang-format-$llvm" "clang-tidy-$llvm" "clang++-$llvm" shellcheck; do
  if ! command -v "$tool" >/dev/null; then
    echo "lint: $tool not found (only version $llvm gives the same format); run 'make setup-lint'" >&2
    exit 1
  fi
done

files=("$@")
[[ ${#files[@]} -gt 0 ]] || mapfile -t files < <(git ls-files)
sources=() units=() scripts=() failed=0
for file in "${files[@]}"; do
  [[ -f $file ]] || continue
  case $file in
    src/*.cc) sources+=("$file") units+=("$file") ;;
    *.cc | *.cuh | *.h) sources+=("$file") ;;
    *.sh | .ci/run) scripts+=("$file") ;;
  esac
done

echo "== format"
[[ ${#sources[@]} -eq 0 ]] || "clang-format-$llvm" --dry-run -Werror "${sources[@]}" || failed=1

echo "== length"
for file in "${sources[@]}"; do
  lines=$(wc --lines <"$file")
  if [[ $lines -gt $max_lines ]]; then
    echo "$file: $lines lines; expected at most $max_lines: split the file"
    failed=1
  fi
done

echo "== rooms"
scripts/rooms.py || failed=1

echo "== English"
scripts/english.py "$@" || failed=1

echo "== shell"
[[ ${#scripts[@]} -eq 0 ]] || shellcheck "${scripts[@]}" || failed=1

echo "== tidy"
if [[ ${#units[@]} -gt 0 ]]; then
  cmake --preset clang -DCMAKE_CXX_COMPILER="clang++-$llvm" >/dev/null
  printf '%s\0' "${units[@]}" |
    xargs --null --max-args=4 --max-procs="$(nproc)" "clang-tidy-$llvm" --quiet -p build/clang || failed=1
fi

[[ $failed -eq 0 ]] && echo "lint: all clean"
exit "$failed"

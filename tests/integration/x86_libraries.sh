#!/usr/bin/env bash
# Checks whether the built library refers to libxsmm or xbyak. Arguments: present|absent, the library, its build folder.
set -euo pipefail
expected=$1 library=$2 build=$3

symbols=$(nm --demangle "$library")
symbols=$(grep --extended-regexp 'libxsmm_|Xbyak::' <<<"$symbols" || true)
links=$(grep --extended-regexp --only-matching --no-filename -e '-lxsmm|libxsmm[a-z]*\.(a|so)' \
  "$build/build.ninja" "$build/cavs.pc" | sort --unique || true)
found=absent
[[ -z $symbols && -z $links ]] || found=present

if [[ $found != "$expected" ]]; then
  echo "libxsmm and xbyak: expected $expected in $library and its link lines, found $found"
  head -n 5 <<<"$symbols"$'\n'"$links"
  exit 1
fi

#!/usr/bin/env bash
# Checks if the built library has kernels for AVX2 and AVX-512. Arguments: present or absent, the library.
set -euo pipefail
expected=$1 library=$2

symbols=$(nm --demangle "$library")
symbols=$(grep --extended-regexp 'cavs::cpu::avx(2|512)::' <<<"$symbols" || true)
found=absent
[[ -z $symbols ]] || found=present

if [[ $found != "$expected" ]]; then
  echo "x86 kernels: expected $expected in $library, found $found"
  head -n 5 <<<"$symbols"
  exit 1
fi

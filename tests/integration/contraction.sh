#!/usr/bin/env bash
# Checks that only the kernels' own intrinsics are fused multiply-adds: the compiler fuses none (-ffp-contract=off), of
# which an AVX2 processor would show nothing. Argument: the library.
set -euo pipefail

fused=$(objdump --disassemble --demangle --no-show-raw-insn "$1" |
  awk '/^[0-9a-f]+ <.*>:$/ { name = $0 } /vfn?m(add|sub)/ && name !~ /cavs::cpu::(avx(2|2x2|512|512_bf16_fma)|amx_model)::/ { print name }' | uniq)
if [[ -n $fused ]]; then
  echo "fused multiply-adds that nobody asked for in $1:"
  echo "$fused"
  exit 1
fi

#!/usr/bin/env bash
# Checks that only intrinsics of the kernels are fused multiply-adds, and that the compiler fused none
# (-ffp-contract=off). Results on a processor with AVX2 would not show this. Argument: the library.
set -euo pipefail

fused=$(objdump --disassemble --demangle --no-show-raw-insn "$1" |
  awk '/^[0-9a-f]+ <.*>:$/ { name = $0 } /vfn?m(add|sub)/ && name !~ /cavs::cpu::(avx(2|2x2|512|512_bf16_fma)|amx_model)::/ { print name }' | uniq)
if [[ -n $fused ]]; then
  echo "unexpected fused multiply-adds in $1:"
  echo "$fused"
  exit 1
fi

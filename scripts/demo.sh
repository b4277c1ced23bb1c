#!/usr/bin/env bash
# Trains a child-sum Tree-LSTM on ListOps and asks it for three expressions.
set -euo pipefail
cd "$(dirname "$0")/.."

cavs=build/release/bin/cavs
if [[ ! -x $cavs ]]; then
  echo "demo: $cavs is not built; run 'make build'" >&2
  exit 1
fi
mkdir --parents build/demo
checkpoint=build/demo/listops.cavs

"$cavs" train tree-lstm --data listops --threads "$(nproc)" --save "$checkpoint"
"$cavs" predict "$checkpoint" <<'TREES'
[MAX 2 9 [MIN 4 7 ] 0 ]
[SUM_MOD 8 [MED 1 5 9 ] 6 ]
[MIN [MAX 3 8 ] [SUM_MOD 9 9 ] 7 ]
TREES

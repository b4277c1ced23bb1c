#!/usr/bin/env bash
# Measures the speed of the binary Tree-LSTM and prints one JSON line per setting.
# Usage: scripts/bench.sh [SPEC]   (default: generated binary trees; sst:DIR for the Stanford Sentiment Treebank)
set -euo pipefail
cd "$(dirname "$0")/.."

cavs=build/release/bin/cavs
if [[ ! -x $cavs ]]; then
  echo "bench: $cavs is not built; run 'make build'" >&2
  exit 1
fi
spec=${1:-binary-trees:leaves=32,samples=512}

for mode in train infer; do
  for hidden in 64 256 512; do
    for threads in 1 "$(nproc)"; do
      "$cavs" bench tree-lstm-binary --data "$spec" --limit 512 --mode "$mode" --batch-size 64 \
        --hidden "$hidden" --embedding "$hidden" --threads "$threads" --json
    done
  done
done

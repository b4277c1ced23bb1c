#!/usr/bin/env bash
# Trains a child-sum Tree-LSTM on ListOps, tests it on new expressions, and shows its answers for three of them.
set -euo pipefail
cd "$(dirname "$0")/.."

data=listops:train=60000,test=2000
hidden=128
embedding=32
epochs=12
batch_size=64
learning_rate=0.004
warmup=200
clip=5
decay=cosine

cavs=build/release/bin/cavs
if [[ ! -x $cavs ]]; then
  echo "demo: $cavs is not built; run 'make build'" >&2
  exit 1
fi
mkdir --parents build/demo
checkpoint=build/demo/listops.cavs
curve=build/demo/learning-curve.svg

echo "A Tree-LSTM learns nested expressions such as [MAX 2 9 [MIN 4 7] 0]:"
"$cavs" train tree-lstm --data "$data" --hidden "$hidden" --embedding "$embedding" --epochs "$epochs" \
  --batch-size "$batch_size" --optimizer adam --lr "$learning_rate" --warmup "$warmup" --decay "$decay" --clip "$clip" \
  --threads "$(nproc)" --save-best "$checkpoint" --curve "$curve" --overwrite

echo
echo "On new expressions:"
"$cavs" eval "$checkpoint"

echo
echo "Three expressions with the model's answers (→), and the right answer where it is wrong (✗):"
"$cavs" predict "$checkpoint" --tree <<'EXPRESSIONS'
[MAX 2 9 [MIN 4 7 ] 0 ]
[SUM_MOD 8 [MED 1 5 9 ] 6 ]
[MIN [MAX 3 8 ] [SUM_MOD 9 9 ] 7 ]
EXPRESSIONS
echo "The learning curve is in $curve, the checkpoint in $checkpoint."

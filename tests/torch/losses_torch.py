"""The ready losses against PyTorch: the loss of every vertex, and its gradient. Usage: losses_torch.py LOSSES_DUMP.

Exits with 77 where PyTorch is absent.
"""

import json
import subprocess
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

TOLERANCE = 1e-5


def of_present(errors, present):
    return (errors * present).sum(1) / present.sum(1).clamp(min=1)


def losses(data, x):
    """By name: one number a vertex; 0 where nothing is given."""
    def rows(name):
        return torch.tensor(data[name], dtype=torch.float64).reshape(len(data["label"]), -1)
    label, weights = torch.tensor(data["label"]), torch.tensor(data["weights"], dtype=torch.float64)
    target, present, order = rows("target"), rows("present"), rows("order")[:, 0]
    given = (label >= 0).double()
    def classes(**options):
        return F.cross_entropy(x, label, ignore_index=-1, reduction="none", **options)
    def binary(**options):
        return F.binary_cross_entropy_with_logits(x, target, reduction="none", **options)
    return {
        "weighted": classes(weight=weights),
        "smoothed": classes(label_smoothing=0.1),
        "weighted_smoothed": classes(weight=weights, label_smoothing=0.2),
        "binary": binary(pos_weight=torch.full((data["width"],), 2.5, dtype=torch.float64)).mean(1) * given,
        "binary_of_present": of_present(binary(), present),
        "squared_of_present": of_present((x - target) ** 2, present),
        "ranking": F.margin_ranking_loss(x[:, 0], x[:, 1], order, margin=0.5, reduction="none") * given,
    }


def main():
    data = json.loads(subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout)
    x = torch.tensor(data["x"], dtype=torch.float64).reshape(len(data["label"]), -1).requires_grad_()
    failures = 0
    for name, expected in losses(data, x).items():
        gradient, = torch.autograd.grad(expected.sum(), x)
        for what, ours, theirs in (("loss", data[name]["losses"], expected), ("gradient", data[name]["gradient"], gradient)):
            difference = (torch.tensor(ours, dtype=torch.float64) - theirs.detach().flatten()).abs().max().item()
            good = difference <= TOLERANCE * theirs.abs().max().item() and theirs.abs().max() > 0
            failures += not good
            print(f"{'ok  ' if good else 'FAIL'} {what} {name}: difference {difference:.1e}")
    sys.exit(1 if failures else 0)


main()

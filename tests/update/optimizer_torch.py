"""Compares every optimiser with torch.optim over 20 steps of random gradients.

Usage: optimizer_torch.py OPTIMIZER_DUMP. Exits with 77 if PyTorch is missing.
"""

import subprocess
import sys

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

ELEMENTS, STEPS, TOLERANCE = 1003, 20, 1e-6

# kind, options of cavs, class and options of PyTorch, largest norm (0 for none)
CASES = [
    ("sgd", {"lr": 0.1}, torch.optim.SGD, {"lr": 0.1}, 0),
    ("sgd", {"lr": 0.1}, torch.optim.SGD, {"lr": 0.1}, 5.0),
    ("sgd", {"lr": 0.1, "weight_decay": 0.05}, torch.optim.SGD, {"lr": 0.1, "weight_decay": 0.05}, 0),
    ("sgd", {"lr": 0.1, "momentum": 0.9}, torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}, 0),
    ("sgd", {"lr": 0.05, "momentum": 0.8, "nesterov": 1, "weight_decay": 0.01}, torch.optim.SGD,
     {"lr": 0.05, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01}, 7.0),
    ("adagrad", {}, torch.optim.Adagrad, {}, 0),
    ("adagrad", {"lr": 0.1, "lr_decay": 0.02, "weight_decay": 0.1, "initial_accumulator": 0.3, "eps": 1e-6},
     torch.optim.Adagrad,
     {"lr": 0.1, "lr_decay": 0.02, "weight_decay": 0.1, "initial_accumulator_value": 0.3, "eps": 1e-6}, 0),
    ("adam", {}, torch.optim.Adam, {}, 0),
    ("adam", {"lr": 0.02, "beta1": 0.7, "beta2": 0.95, "eps": 1e-4, "weight_decay": 0.1}, torch.optim.Adam,
     {"lr": 0.02, "betas": (0.7, 0.95), "eps": 1e-4, "weight_decay": 0.1}, 3.0),
    ("adamw", {}, torch.optim.AdamW, {}, 0),
    ("adamw", {"lr": 0.02, "beta1": 0.7, "beta2": 0.95, "eps": 1e-4, "weight_decay": 0.1}, torch.optim.AdamW,
     {"lr": 0.02, "betas": (0.7, 0.95), "eps": 1e-4, "weight_decay": 0.1}, 3.0),
]


def torch_trajectory(optimizer_class, options, max_norm, first, gradients):
    parameter = torch.nn.Parameter(torch.from_numpy(first.copy()))
    optimizer = optimizer_class([parameter], **options)
    values = []
    for gradient in gradients:
        parameter.grad = torch.from_numpy(gradient.copy())
        if max_norm:
            torch.nn.utils.clip_grad_norm_([parameter], max_norm)
        optimizer.step()
        values.append(parameter.detach().numpy().copy())
    return np.stack(values)


def our_trajectory(tool, kind, options, max_norm, first, gradients):
    command = [tool, str(ELEMENTS), str(STEPS), str(max_norm), kind] + [f"{k}={v}" for k, v in options.items()]
    output = subprocess.run(command, input=first.tobytes() + gradients.tobytes(), stdout=subprocess.PIPE, check=True)
    return np.frombuffer(output.stdout, dtype=np.float32).reshape(STEPS, ELEMENTS)


def main():
    random = np.random.default_rng(1)
    first = random.standard_normal(ELEMENTS).astype(np.float32)
    gradients = random.standard_normal((STEPS, ELEMENTS)).astype(np.float32)
    gradients *= 10.0 ** random.integers(-3, 2, (STEPS, 1))
    failures = 0
    for kind, ours, optimizer_class, theirs, max_norm in CASES:
        expected = torch_trajectory(optimizer_class, theirs, max_norm, first, gradients)
        found = our_trajectory(sys.argv[1], kind, ours, max_norm, first, gradients)
        moved = np.abs(expected[-1] - first).max()
        difference = np.abs(found - expected).max() / np.abs(expected).max()
        good = difference <= TOLERANCE and moved > 100 * TOLERANCE
        failures += not good
        print(f"{'ok  ' if good else 'FAIL'} {kind} {ours} max_norm={max_norm}: difference {difference:.1e}")
    sys.exit(1 if failures else 0)


main()

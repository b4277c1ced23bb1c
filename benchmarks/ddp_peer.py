#!/usr/bin/env python3
"""Compares ranks of cavs with PyTorch's DistributedDataParallel (DDP): a child-sum Tree-LSTM on SST, in PyTorch batched
by hand.

A step has `--accumulate` minibatches, which the ranks share. DDP gets the same shares. It averages gradients, so losses
are scaled by the number of ranks. Prints samples per second, and a hash of the parameters after training: equal hashes
on different numbers of ranks mean equal bits. For PyTorch, making minibatches is not timed.

Usage, for N of 1, 2, 4: torchrun --standalone --nproc-per-node N benchmarks/ddp_peer.py path/to/sst
"""

import argparse
import hashlib
import os
import pathlib
import sys
import time

import cavs
import cavs.distributed
import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
import child_sum  # noqa: E402
from python_peers import LR, tree_batches, tree_model  # noqa: E402


class Net(torch.nn.Module):
    """A module whose forward() returns the loss, since DistributedDataParallel wraps forward()."""

    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def forward(self, batch):
        return self.levels.loss(batch)


def hash_of(arrays):
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def train_ddp(net, batches, step_samples, accumulate, epochs):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    model = torch.nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.Adagrad([p for p in model.parameters() if p.requires_grad], lr=LR)
    begin = None
    for epoch in range(epochs + 1):  # the first is not timed
        if epoch == 1:
            dist.barrier()
            begin = time.perf_counter()
        for first in range(0, len(batches), accumulate):
            of_step = batches[first:first + accumulate]
            mine = of_step[len(of_step) * rank // ranks:len(of_step) * (rank + 1) // ranks]
            optimizer.zero_grad()
            for last, batch in enumerate(mine, 1):
                with model.no_sync() if last < len(mine) else torch.enable_grad():
                    (model(batch) * ranks / step_samples).backward()
            optimizer.step()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder of SST, with train.txt and dev.txt")
    parser.add_argument("--samples", type=int, default=1024)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    job = cavs.distributed.torch()
    data = cavs.load_data(f"sst:{options.folder}", limit=options.samples)
    model = tree_model(data, options.hidden)
    trainer = cavs.Trainer(model, data.train, optimizer=cavs.optimizer("adagrad", lr=LR), shuffle=False,
                           batch_size=options.batch_size, accumulate=options.accumulate, job=job)
    parameters = {name: torch.from_numpy(values.copy()) for name, values in trainer.parameters.items()}

    for _ in range(trainer.steps_per_epoch):
        trainer.step()
    dist.barrier()
    begin = time.perf_counter()
    for _ in range(options.epochs * trainer.steps_per_epoch):
        trainer.step()
    seconds = time.perf_counter() - begin
    report = [("cavs", seconds, hash_of(dict(trainer.parameters.items()).values()))]

    child_sum.ChildSum.sparse = False  # DistributedDataParallel on Gloo exchanges whole tables
    batches = tree_batches(data.train, options.batch_size)
    for batch in batches:
        child_sum.Levels.prepare(batch)
    net = Net(child_sum.Levels(parameters))
    net.levels.Wf.requires_grad = False  # no inner vertex has a word; DistributedDataParallel refuses unused parameters
    seconds = train_ddp(net, batches, options.batch_size * options.accumulate, options.accumulate, options.epochs)
    report.append(("DistributedDataParallel", seconds, hash_of(p.detach().numpy() for p in net.parameters())))
    if job.rank == 0:
        for name, seconds, digest in report:
            rate = options.epochs * len(data.train) / seconds
            print(f"{job.ranks} ranks, {name:24} {rate:7.0f} samples/s, parameters {digest}", flush=True)
    dist.destroy_process_group()
    os._exit(0)  # does not wait for threads of Gloo


if __name__ == "__main__":
    main()

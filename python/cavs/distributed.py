"""Jobs of several processes (ranks) that train one model: fit(..., job=cavs.distributed.torch()).

The ranks share the `accumulate` minibatches of a step. The number of ranks does not change a bit of the results.
"""

from __future__ import annotations

import atexit
import datetime
import os
import time
from typing import Any

from ._core import Error, Job

__all__ = ["Job", "mpi", "torch"]

_Messages = list[tuple[int, memoryview]]
_Lost = tuple[list[int], str]


def torch(group: Any = None, *, timeout: float = 300) -> Job:
    """Makes a job of the ranks of torch.distributed, which exchange bytes by Gloo.

    group: a process group; None uses the default group, and creates it if torchrun has started this process.
    timeout: seconds without a byte from another rank, after which all ranks end.

    Raises Error if there is no group, or if the group has no backend for CPU tensors (only NCCL).
    """
    return Job(_Torch(group, timeout))


def mpi(comm: Any = None, *, timeout: float = 300) -> Job:
    """Makes a job of the ranks that mpirun has started, by mpi4py.

    comm: a communicator of mpi4py, which is duplicated; None for all ranks.
    timeout: seconds without a byte from another rank, after which all ranks end.

    Raises Error if mpirun has not started this process, or if mpirun belongs to another MPI than mpi4py.
    """
    return Job(_Mpi(comm, timeout))


class _Torch:
    def __init__(self, group: Any, timeout: float) -> None:
        import torch
        import torch.distributed as dist

        if not dist.is_available():
            raise Error("this PyTorch was built without torch.distributed; use cavs.distributed.mpi() or another PyTorch")
        self.wait = datetime.timedelta(seconds=timeout)
        self.seconds = timeout
        if not dist.is_initialized():
            if "TORCHELASTIC_RUN_ID" not in os.environ:
                raise Error("torch.distributed has no process group, and torchrun has not started this process; start it as "
                            "'torchrun --nproc-per-node 4 train.py', or call torch.distributed.init_process_group('gloo')")
            dist.init_process_group("gloo", timeout=self.wait)
        self.group: Any = group if group is not None else dist.group.WORLD
        self.rank = dist.get_rank(self.group)
        self.ranks = dist.get_world_size(self.group)
        try:
            dist.all_reduce(torch.zeros(1), group=self.group)
        except (RuntimeError, ValueError) as error:
            raise Error("the process group has no backend for CPU tensors: make it with "
                        f"init_process_group('cpu:gloo,cuda:nccl') ({error})") from None

    def exchange(self, sends: _Messages, receives: _Messages) -> _Lost | None:
        import torch
        import torch.distributed as dist

        def begin(call: Any, messages: _Messages) -> list[Any]:
            to = [dist.get_global_rank(self.group, peer) for peer, _ in messages]
            return [dist.P2POp(call, torch.frombuffer(memory, dtype=torch.uint8), peer, self.group)
                    for (_, memory), peer in zip(messages, to)]

        works: list[Any] = []
        try:
            works = dist.batch_isend_irecv(begin(dist.irecv, receives) + begin(dist.isend, sends))
        except RuntimeError as error:
            return self.lost([peer for peer, _ in receives + sends], error)
        for (peer, _), work in zip(receives + sends, works):
            try:
                work.wait(self.wait)
            except RuntimeError as error:
                return self.lost([peer], error)
        return None

    def lost(self, peers: list[int], error: RuntimeError) -> _Lost:
        is_silent = "imed out" in str(error)
        return sorted(set(peers)), f"sent nothing for {self.seconds:g} s" if is_silent else "has ended"


class _Mpi:
    def __init__(self, comm: Any, timeout: float) -> None:
        from mpi4py import MPI  # type: ignore[import-not-found, unused-ignore]

        self.mpi = MPI
        self.comm = (comm if comm is not None else MPI.COMM_WORLD).Dup()
        self.rank, self.ranks, self.timeout = self.comm.rank, self.comm.size, timeout
        started = max(int(os.environ.get(name, "0")) for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"))
        if self.ranks == 1 and started > 1:
            raise Error(f"mpirun has started {started} processes, but mpi4py sees only one: mpirun belongs to another "
                        "MPI than mpi4py; use the mpirun of mpi4py's MPI")
        if self.ranks == 1 and started == 0:
            raise Error("mpirun has not started this process; start it as 'mpirun -n 4 python -m mpi4py train.py'")

    def exchange(self, sends: _Messages, receives: _Messages) -> _Lost | None:
        requests = [self.comm.Irecv([memory, self.mpi.BYTE], peer) for peer, memory in receives]
        requests += [self.comm.Isend([memory, self.mpi.BYTE], peer) for peer, memory in sends]
        left, looks, last = len(requests), 0, time.monotonic()
        while left:
            done = self.mpi.Request.Testsome(requests)
            looks += 1
            if done:
                left, looks, last = left - len(done), 0, time.monotonic()
            elif looks > 50:
                if time.monotonic() - last > self.timeout:
                    peers = [peer for (peer, _), request in zip(receives + sends, requests)
                             if request != self.mpi.REQUEST_NULL]
                    atexit.register(self.comm.Abort, 1)  # MPI_Finalize would wait for them
                    return sorted(set(peers)), f"sent nothing for {self.timeout:g} s"
                time.sleep(5e-5)
        return None

"""Data-parallel training in a few processes that meet once a step to average their gradients.

A process a core, one thread each, waits less than many threads inside every matrix product.
"""

from collections.abc import Callable
from multiprocessing.synchronize import Barrier

import torch
import torch.multiprocessing as processes
from torch import Tensor, nn


class Averager:
    """Gradients of all workers in one shared tensor [workers, parameters]."""

    def __init__(self, rank: int, shared: Tensor, barrier: Barrier) -> None:
        self.rank, self.shared, self.barrier = rank, shared, barrier

    def wait(self) -> None:
        """Until all workers are here."""
        self.barrier.wait()

    def average(self, model: nn.Module) -> None:
        """Replaces the gradients by their mean over the workers."""
        parameters = list(model.parameters())
        gradients = [parameter.grad.flatten() for parameter in parameters]
        self.shared[self.rank].copy_(torch.cat(gradients))
        self.barrier.wait()
        mean = self.shared.mean(0)
        self.barrier.wait()
        sizes = [parameter.numel() for parameter in parameters]
        for parameter, gradient in zip(parameters, mean.split(sizes), strict=True):
            parameter.grad.copy_(gradient.view_as(parameter))


def run(workers: int, parameters: int, work: Callable, *arguments) -> None:
    """Calls ``work(averager, *arguments)`` in every worker; a failure in one stops all."""
    context = processes.get_context("spawn")
    shared = torch.zeros(workers, parameters).share_memory_()
    barrier = context.Barrier(workers, timeout=600)
    processes.spawn(_start, (shared, barrier, work, arguments), nprocs=workers)


def _start(rank: int, shared: Tensor, barrier: Barrier, work: Callable, arguments: tuple) -> None:
    torch.set_num_threads(1)
    work(Averager(rank, shared, barrier), *arguments)

"""What tests have the workers do, who import it by themselves."""

import os
import signal

import pyarrow as pa
from pyspark import TaskContext


def parent(process):
    """The process that started this one."""
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def executor():
    """The executor of this worker: Spark's daemon has forked the worker, and the executor has started the daemon."""
    return parent(parent(os.getpid()))


def own_executor(batches):
    """The executor for each batch."""
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"process": [executor()]})


def killed_once(batches, *, folder, victim):
    """The batches, but that one process is killed, once, between the first and the second batch of a sum.

    The rows are counted first, then sampled, then summed: the third stage that asks for them.
    """
    os.makedirs(f"{folder}/stage {TaskContext.get().stageId()}", exist_ok=True)
    for n, batch in enumerate(batches):
        yield batch
        if n > 0 or len(os.listdir(folder)) != 3:
            continue
        try:
            os.mkdir(f"{folder}/killed")
        except FileExistsError:
            continue
        os.kill(os.getpid() if victim == "worker" else executor(), signal.SIGKILL)

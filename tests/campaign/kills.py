"""Kill a writer at any moment: the old file or the new one, and nothing left by the next write."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.campaign.outputs import OUTPUTS, Output, left
from tests.campaign.record import ROOT, Outcome

KILLS = (2, 14)  # of each kind of output in a batch: in a minute, and in more time


def serve() -> None:
    """Fork a writer for each path of input: importing again would take most of the time."""
    outputs = {output.name: output for output in OUTPUTS}
    while line := sys.stdin.readline():
        path = Path(line.rstrip())
        output, turn = outputs[path.name], 0
        if not path.exists():
            output.write(path, turn)
        pid = os.fork()
        while pid == 0:
            turn += 1
            output.write(path, turn)
        print(pid, flush=True)
        os.waitpid(pid, 0)
        print("dead", flush=True)


def kill(folder: Path, n_kills: int, seed: int) -> Outcome:
    """Kill the writers of every kind of output that many times."""
    generator = random.Random(seed)
    outcome = Outcome(0, [], {"temporary files seen and swept": 0})
    command = [sys.executable, "-m", "tests.campaign.kills"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as server:
        for output in OUTPUTS:
            for _ in range(n_kills):
                _kill_one(server, folder / output.name, generator.uniform(0.001, 0.08))
                outcome.cases += 1
                _check(folder, output, outcome)
    return outcome


def _kill_one(server: subprocess.Popen[str], path: Path, wait: float) -> None:
    assert server.stdin
    assert server.stdout
    server.stdin.write(f"{path}\n")
    server.stdin.flush()
    pid = int(server.stdout.readline())
    time.sleep(wait)
    os.kill(pid, signal.SIGKILL)
    assert server.stdout.readline() == "dead\n"


def _check(folder: Path, output: Output, outcome: Outcome) -> None:
    outcome.figures["temporary files seen and swept"] += len(left(folder))
    if not output.whole(folder / output.name):
        outcome.failures.append(f"{output.name}: torn")
    output.write(folder / output.name, 1)
    outcome.failures += [f"{output.name}: {name} is left" for name in left(folder)]


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """Kill the writers of each kind; starting the server takes most of a short batch."""
    return kill(folder, KILLS[seconds > 60], turn)


if __name__ == "__main__":
    serve()

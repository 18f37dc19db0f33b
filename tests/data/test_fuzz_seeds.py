"""The fuzzers' seeds, and mutations of them, without atheris."""

import random

import pytest

from tests.fuzz.targets import SEEDS, TARGETS, run


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name):
    for seed in SEEDS[name]:
        if name == "folds":
            run(name, seed)  # also asks for other labels, which is refused
        else:
            TARGETS[name](seed)


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_give_a_result_or_an_input_error(name):
    generator = random.Random(0)
    alphabet = b'01,;\t\n\r "#:.-+eE{}@%x\x00\xff9'
    for _ in range(300):
        data = bytearray(generator.choice(SEEDS[name]))
        for _ in range(generator.randint(1, 6)):
            at = generator.randrange(len(data) + 1)
            kind = generator.random()
            if kind < 0.4:
                data[at:at] = bytes([generator.choice(alphabet)])
            elif kind < 0.7:
                del data[at : at + generator.randint(1, 8)]
            else:
                data[at : at + 1] = bytes([generator.choice(alphabet)])
        run(name, bytes(data))

"""Mutations that keep the outer form of a file, so that readers look further.

A changed byte of a compressed file breaks its checksum, and most changed bytes of JSON its syntax.
Here a file is unpacked, one of its parts is changed, and it is packed again; or one value of a JSON
file gets another one.
"""

import gzip
import io
import json
import random
import zipfile
import zlib

import zstandard

CAP = 2**16  # bytes of a part that is changed
AS_IS = 0.25  # share of files that are changed as they are
WRONG = [
    None,
    True,
    -1,
    0,
    3,
    10**30,
    0.5,
    float("nan"),
    "",
    "text",
    "\ud800",
    [],
    [1],
    {},
    {"a": 1},
]


def _parts(data):
    """The packer of a file, and its parts by name."""
    if data.startswith(b"\x1f\x8b"):
        return _gzip, {"": zlib.decompressobj(31).decompress(data, CAP)}
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstd, {"": zstandard.ZstdDecompressor().stream_reader(data).read(CAP)}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return _zip, {name: _member(file, name) for name in file.namelist()}


def _member(file, name):
    with file.open(name) as member:
        return member.read(CAP)


def _gzip(parts):
    return gzip.compress(parts[""], 1, mtime=0)


def _zstd(parts):
    return zstandard.compress(parts[""], 1)


def _zip(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        for name, content in parts.items():
            out.writestr(zipfile.ZipInfo(name or "0"), content)
    return file.getvalue()


def inside(data, generator, change):
    """The file with one of its parts changed."""
    pack, parts = _parts(data)
    name = generator.choice(sorted(parts))
    changed = change(parts.pop(name))
    if name and generator.random() < 0.05:
        name += generator.choice(("0", ".npy"))  # a member that is missing, and one too many
    return pack(parts | {name: changed})


def another_value(data, generator, change):
    """The JSON with another value, or none, in one place; texts may be changed byte by byte."""
    whole = json.loads(data)
    place, key = generator.choice([*_places(whole)])
    kind = generator.random()
    if kind < 0.2:
        del place[key]
    elif kind < 0.4:
        place[key] = [place[key]]
    elif kind < 0.6:
        place[key] = generator.choice([inner[at] for inner, at in _places(whole)])
    elif kind < 0.8 and isinstance(place[key], str):
        place[key] = change(place[key].encode(errors="replace")).decode(errors="replace")
    else:
        place[key] = generator.choice(WRONG)
    return json.dumps(whole).encode()


def _places(value):
    """Every container and key in some JSON; of long lists, the beginning."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(min(len(value), 8)):
            yield value, key
            yield from _places(value[key])


#: How files of the last word of a target's name are changed.
WAYS = {"npz": inside, "gz": inside, "zst": inside, "stage": another_value}


def mutator(name, mutate):
    """What libFuzzer calls to change an input of a target; None for its own ways alone.

    ``mutate(data, max_size)`` is libFuzzer's own.
    """
    way = WAYS.get(name.split("-")[1])

    def mutated(data, max_size, seed):
        data, generator = bytes(data), random.Random(seed)
        if generator.random() < AS_IS:
            return mutate(data, max_size)
        try:
            other = way(data, generator, lambda part: bytes(mutate(part, len(part) + 64)))
        except Exception:  # it is broken already: whatever libraries raise
            return mutate(data, max_size)
        return other if len(other) <= max_size else mutate(data, max_size)

    return mutated if way else None

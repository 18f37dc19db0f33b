"""Which sources a part exercises: the files that its modules import, directly or not.

A part names test modules or folders. The closure follows every import in them, lazy ones and module
names in strings too; a name of a package that loads on first use leads to its home alone, and a
package that lists its own folder has all its modules. Kernels lead to the C++ files that bind them.

``apart`` are packages, or folders of kernels, that are imported but that the part does not run;
``test_sources.py`` lets such parts run, and fails where a function of another file was called.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_HOMES = {"trueval": ROOT / "src", "tests": ROOT, "benchmarks": ROOT}
_NAME = re.compile(r"trueval(?:\.\w+)+(?::\w+)?")
_KERNELS = "trueval._kernels"
SUFFIXES = {".py", ".cpp", ".hpp", ".inc", ".txt", ".json", ".j2", ".js", ".css", ".html"}
#: Results look for what shows them only when they are shown.
_WHEN_SHOWN = "trueval.core.presentable"


@cache
def path_of(module: str) -> Path | None:
    """File of a module or package of this repository."""
    top, *_ = parts = module.split(".")
    if top not in _HOMES:
        return None
    base = _HOMES[top].joinpath(*parts)
    found = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in found if path.exists()), None)


def _name_of(path: Path) -> str:
    home = _HOMES["trueval"] if _HOMES["trueval"] in path.parents else ROOT
    parts = path.relative_to(home).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _beside(folder: Path) -> frozenset[Path]:
    """Files of a folder that modules read, those in its folders that are no packages included."""
    files = [*folder.glob("*.*"), *folder.glob("*/*.*")]
    files = [file for file in files if file.suffix in SUFFIXES - {".py"}]
    return frozenset(f for f in files if f.parent == folder or not _is_package(f.parent))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _only_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those for type checkers."""
    left = [node]
    while left:
        node = left.pop()
        yield node
        left += [inner for inner in ast.iter_child_nodes(node) if not _only_types(inner)]


@cache
def _lazy_homes(module: str) -> dict[str, str] | None:
    """Module of each name that a package loads on first use; None where it loads at once."""
    path = path_of(module)
    if path is None or "loader(" not in path.read_text(encoding="utf-8"):
        return None
    return {
        alias.asname or alias.name: str(node.module)
        for block in _tree(path).body
        if _only_types(block)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _named(module: str, name: str) -> str:
    """Where ``from module import name`` leads."""
    if f"{module}.{name}" == _KERNELS or path_of(f"{module}.{name}"):
        return f"{module}.{name}"
    homes = _lazy_homes(module) or {}
    home = homes.get(name)
    return module if home is None else _named(home, name)


@cache
def imports(module: str) -> frozenset[str]:
    """Modules of this repository that a module names."""
    path = path_of(module)
    if path is None:
        return frozenset()
    out, lists_folder, lazy = set[str](), False, _lazy_homes(module)
    for node in _walk(_tree(path)):
        if isinstance(node, ast.Import):
            out |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            out |= {_named(str(node.module), alias.name) for alias in node.names}
        elif (
            isinstance(node, ast.Constant)
            and lazy is None
            and module != _WHEN_SHOWN
            and _NAME.fullmatch(str(node.value))
        ):
            out.add(str(node.value).split(":")[0])
        lists_folder |= isinstance(node, ast.Attribute) and node.attr == "iter_modules"
    if lists_folder:
        out |= {_name_of(file) for file in path.parent.rglob("*.py")}
    return frozenset(name for name in out if name.split(".")[0] in _HOMES)


@cache
def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").exists()


def _kernel_files(path: Path) -> set[Path]:
    """C++ files of the kernels that a file calls."""
    cpp = ROOT / "cpp"
    out = {cpp / "module.cpp", *cpp.glob("*.hpp"), ROOT / "CMakeLists.txt"}
    for call in set(re.findall(r"\b_kernels\.(\w+)", path.read_text(encoding="utf-8"))):
        out |= kernel_home(call)
    return out


@cache
def kernel_home(name: str) -> frozenset[Path]:
    """C++ files of a kernel: those that bind it, and their folders; all where none is seen to."""
    files = sorted((ROOT / "cpp").glob("*.cpp"))
    homes = [file for file in files if f'"{name}"' in file.read_text(encoding="utf-8")]
    return frozenset(
        part
        for home in homes or files
        for part in (home, *(f for f in home.with_suffix("").rglob("*") if f.is_file()))
    )


def modules_in(places: Iterable[str]) -> list[str]:
    """Modules at places: dotted names, or paths of test files and folders."""
    out = []
    for place in places:
        path = ROOT / place
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        out += [_name_of(file) for file in files] if "/" in place else [place]
    return out


def closure(places: Iterable[str], apart: Iterable[str] = ()) -> set[str]:
    """Modules that are imported from some places on, without packages that are apart."""
    begin, apart, seen = modules_in(places), tuple(apart), set[str]()
    left = [*begin]
    while left:
        module = left.pop()
        far = any(f"{module}.".startswith(f"{name}.") for name in apart)
        if module in seen or (far and module not in begin):
            continue
        seen.add(module)
        parents = module.split(".")[:-1]
        left += [".".join(parents[:length]) for length in range(1, len(parents) + 1)]
        left += imports(module)
    return seen


def sources(places: Iterable[str], apart: Iterable[str] = ()) -> list[Path]:
    """The files of ``src`` and ``cpp`` that are exercised, what lies beside modules included."""
    out, apart = set[Path](), tuple(apart)
    for module in closure(places, apart):
        path = path_of(module)
        if path is not None and module.split(".")[0] == "trueval":
            out |= {path, *_beside(path.parent)}
            if _KERNELS in imports(module):
                out |= _kernel_files(path)
    far = [ROOT / name for name in apart if "/" in name]
    return sorted(path for path in out if not {*far} & {path.with_suffix(""), *path.parents})


def everything() -> list[Path]:
    """All files of the package and its kernels."""
    paths = [*(ROOT / "src").rglob("*.*"), *(ROOT / "cpp").rglob("*.*"), ROOT / "CMakeLists.txt"]
    return sorted(path for path in paths if path.suffix in SUFFIXES)


def digest(places: tuple[str, ...], apart: tuple[str, ...] = ()) -> str:
    """Fingerprint of what a part exercises; of everything where it names no place."""
    sha, paths = hashlib.sha256(), sources(places, apart) if places else everything()
    for path in paths:
        sha.update(f"{path.relative_to(ROOT).as_posix()}\n".encode() + path.read_bytes())
    return sha.hexdigest()[:16]

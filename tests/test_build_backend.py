"""The build backend: asks for a compiler from PyPI only where there is none."""

import importlib.machinery
import importlib.util
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core")
ROOT = Path(__file__).parents[1]


@pytest.fixture
def backend():
    spec = importlib.util.spec_from_file_location(
        "trueval_build", ROOT / "build_backend" / "trueval_build.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def names(requirements):
    return {requirement.split(">")[0] for requirement in requirements}


def test_a_compiler_of_the_machine_is_used(backend, monkeypatch, tmp_path):
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert "ziglang" not in names(backend._with_compiler([]))
    with backend._compiler() as settings:
        assert settings == {}
        assert "CXX" not in os.environ


def test_without_one_ziglang_is_asked_for(backend, no_compiler):
    assert "ziglang" in names(backend._with_compiler([]))
    with backend._compiler() as settings:
        assert sorted(settings) == ["cmake.define.CMAKE_AR", "cmake.define.CMAKE_RANLIB"]
        for tool in (*settings.values(), os.environ["CXX"], os.environ["CC"]):
            assert os.access(tool, os.X_OK)
            assert "-m ziglang" in Path(tool).read_text()
    assert "CXX" not in os.environ


def test_a_named_compiler_that_is_not_there_counts_as_none(backend, no_compiler, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    assert not backend.has_compiler()


@pytest.mark.parametrize("kind", ["wheel", "editable"])
@pytest.mark.parametrize(
    ("compiler", "nanobind", "says"),
    [
        (False, True, "Install a C++17 compiler and try again"),
        (True, True, "The reason is above."),
        (True, False, "pip install nanobind scikit-build-core, or install without --no-build-iso"),
        (False, False, "The build tool nanobind is missing"),
    ],
)
def test_a_failed_build_says_what_to_do(
    backend, monkeypatch, tmp_path, capsys, kind, compiler, nanobind, says
):
    """A compiler of PyPI, which is tried where there is none, does not count as one."""

    def failing(*_):
        raise subprocess.CalledProcessError(1, "ninja")

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    if compiler:
        (tmp_path / "c++").write_text("#!/bin/sh\n")
        (tmp_path / "c++").chmod(0o755)
    monkeypatch.setattr(backend._backend, f"build_{kind}", failing)
    found = importlib.machinery.ModuleSpec("nanobind", None) if nanobind else None
    monkeypatch.setattr(backend.importlib.util, "find_spec", lambda _: found)
    with pytest.raises(subprocess.CalledProcessError):
        getattr(backend, f"build_{kind}")(str(tmp_path))
    err = capsys.readouterr().err
    assert err.startswith("trueval: its C++ kernels could not be built. ")
    assert says in err
    assert ("Install a C++17" in err) == (not compiler and nanobind)


def test_the_source_distribution_is_the_same_twice(backend, monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        folder.mkdir()
    one, two = (folder / backend.build_sdist(str(folder)) for folder in folders)
    assert one.read_bytes() == two.read_bytes()
    with tarfile.open(one) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "build_backend/trueval_build.py"} <= names
    assert not any(name.startswith((".github", ".ci", "benchmarks")) for name in names)

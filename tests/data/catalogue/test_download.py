"""Fetching files of the catalogue from a server on this machine that misbehaves on purpose."""

import contextlib
import gc
import hashlib
import http.server
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from trueval import InputError
from trueval.data.catalogue import FileInfo, _files

BODY = np.random.default_rng(0).bytes(300_000)
SHA = hashlib.sha256(BODY).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them

    def handle_error(self, request, client_address):
        """A client that hangs up is what is tested."""


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def answer(self, code, headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def whole(self, body=BODY, declared=None):
        self.answer(200, {"Content-Length": len(body) if declared is None else declared})
        self.wfile.write(body)

    def do_GET(self):
        tries = self.server.seen.count(self.path)
        self.server.seen.append(self.path)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, "do_" + self.path.strip("/"))(tries)

    def do_good(self, tries):
        self.whole()

    def do_truncates_once(self, tries):
        self.whole(BODY if tries else BODY[:100_000], declared=len(BODY))

    def do_truncates_always(self, tries):
        self.whole(BODY[:1000], declared=len(BODY))

    def do_truncates_without_length(self, tries):
        self.answer(200, {})
        self.wfile.write(BODY[:1000])

    def do_stalls(self, tries):
        self.answer(200, {"Content-Length": len(BODY)})
        self.wfile.write(BODY[:1000])
        self.wfile.flush()
        self.server.release.wait(20)

    def do_never_answers(self, tries):
        self.server.release.wait(20)

    def do_wrong_bytes(self, tries):
        self.whole(BODY[:-1] + bytes([BODY[-1] ^ 1]))

    def do_busy_once(self, tries):
        self.whole() if tries else self.answer(503, {"Content-Length": 0})

    def do_gone(self, tries):
        self.answer(404, {"Content-Length": 0})

    def do_forwards(self, tries):
        self.answer(302, {"Location": "/good", "Content-Length": 0})

    def do_forwards_to_file(self, tries):
        self.answer(302, {"Location": "file:///etc/hostname", "Content-Length": 0})

    def do_talks_rubbish(self, tries):
        self.wfile.write(b"rubbish\r\n\r\n")


@pytest.fixture
def server(monkeypatch):
    """A server that counts as safe, and a client that does not wait long."""
    server = Server(("127.0.0.1", 0), Handler)
    server.seen = []
    server.release = threading.Event()
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setattr(_files, "_SCHEME", server.address)
    monkeypatch.setattr(_files, "_PATIENCE", 0.3)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("TRUEVAL_DATA", raising=False)
    monkeypatch.setenv("TRUEVAL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


TERMS = _files.Terms(fetch=True, accept_unknown=True, sha256={}, progress=None)


def get(address, sha256=SHA):
    return _files.fetch(FileInfo("file.bin", len(BODY), sha256, address), TERMS)


@pytest.mark.parametrize("path", ["good", "truncates_once", "busy_once", "forwards"])
@pytest.mark.parametrize("sha256", [SHA, None])
def test_the_file_comes_whole(server, cache, path, sha256):
    assert get(f"{server.address}/{path}", sha256) == cache / "file.bin"
    assert (cache / "file.bin").read_bytes() == BODY
    assert [p.name for p in cache.iterdir()] == ["file.bin"]


FAILURES = {
    "truncates_always": "got only 1000 out of 300000 bytes",
    "truncates_without_length": "checksum of file.bin .* differs from expected",
    "stalls": "timed out",
    "never_answers": "timed out",
    "wrong_bytes": "checksum of file.bin .* differs from expected",
    "gone": "404",
    "forwards_to_file": "302.*not allowed",
    "talks_rubbish": "rubbish",
}


@pytest.mark.parametrize("path", FAILURES)
def test_failures_are_one_clear_error_and_leave_nothing(server, cache, path):
    problem = rf"{server.address}/{path}: the file could not be fetched: (?s:.*){FAILURES[path]}"
    with pytest.raises(InputError, match=problem) as caught:
        get(f"{server.address}/{path}")
    assert str(cache / "file.bin") in str(caught.value)  # where to put it by hand
    assert list(cache.iterdir()) == []
    del caught
    with warnings.catch_warnings():
        # scikit-learn leaves the answers of its failed tries to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def test_two_that_fetch_one_file_do_not_meet(server, cache):
    """Each writes to a temporary file of its own; the last to finish replaces the whole file."""
    start = threading.Barrier(6)
    original = Handler.do_good

    def slowly(self, tries):
        start.wait(20)  # all are being served at once
        original(self, tries)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(6) as pool:
        patch.setattr(Handler, "do_good", slowly)
        patch.setattr(_files, "_PATIENCE", 20.0)
        paths = list(pool.map(lambda _: get(f"{server.address}/good"), range(6)))
    assert server.seen == ["/good"] * 6
    assert set(paths) == {cache / "file.bin"}
    assert (cache / "file.bin").read_bytes() == BODY
    assert [p.name for p in cache.iterdir()] == ["file.bin"]


@pytest.mark.skipif(os.name != "posix", reason="sweeps at once where processes can be asked for")
@pytest.mark.parametrize("another", [False, True])
def test_a_killed_download_leaves_nothing_after_the_next(server, cache, another):
    """One process is killed while the server keeps it waiting; the next one fetches the file."""
    call = (
        "import sys; from trueval.data.catalogue import FileInfo, _files\n"
        "_files._SCHEME = 'http://127.0.0.1'\n"
        "terms = _files.Terms(True, True, {}, None)\n"
        "_files.fetch(FileInfo('file.bin', 1, None, sys.argv[1]), terms)"
    )
    child = subprocess.Popen([sys.executable, "-c", call, f"{server.address}/stalls"])
    while not [*cache.glob(".file.bin.*.trueval-tmp/*")]:
        assert child.poll() is None
    if another:  # the first is still alive: what it writes is kept
        get(f"{server.address}/good")
        assert len([*cache.glob(".file.bin.*.trueval-tmp")]) == 1
    child.kill()
    child.wait(20)
    assert len([*cache.glob(".file.bin.*.trueval-tmp")]) == 1
    get(f"{server.address}/good")
    assert (cache / "file.bin").read_bytes() == BODY
    assert [p.name for p in cache.iterdir()] == ["file.bin"]


@pytest.mark.parametrize(
    "url", ["http://example.org/a", "ftp://example.org/a", "file:///etc/hostname", "a",
            "http://127.0.0.1/a"],
)  # fmt: skip
def test_only_https(cache, url):
    with pytest.raises(InputError, match="only https"):
        get(url)
    assert not cache.exists()


def test_no_server_at_all(server, cache, monkeypatch):
    monkeypatch.setattr(_files, "_SCHEME", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"could not be fetched: .*refused"):
        get("http://127.0.0.1:9/x")

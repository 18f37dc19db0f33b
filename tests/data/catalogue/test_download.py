"""The download path against a server on this machine that misbehaves on purpose."""

import contextlib
import hashlib
import http.server
import threading
import time

import numpy as np
import pytest
from trueval.data.download import download

from trueval import InputError

BODY = np.random.default_rng(0).bytes(300_000)
SHA = hashlib.sha256(BODY).hexdigest()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them

    def handle_error(self, request, client_address):
        """A client that hangs up is what is tested."""


class Handler(http.server.BaseHTTPRequestHandler):
    seen: list  # of (path, range) in order

    def log_message(self, *args):
        pass

    def answer(self, code, headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def whole(self, body, start=0, declared=None, code=200, headers=None):
        length = len(body) if declared is None else declared
        self.answer(code, {"Content-Length": length, **(headers or {})})
        self.wfile.write(body)

    def do_GET(self):
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        tries = sum(path == self.path for path, _ in self.server.seen)
        self.server.seen.append((self.path, asked))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, "do_" + self.path.strip("/"))(start, tries)

    def rest(self, start):
        """The answer of a good server."""
        if not start:
            return self.whole(BODY)
        span = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        return self.whole(BODY[start:], code=206, headers={"Content-Range": span})

    def do_good(self, start, tries):
        self.rest(start)

    def do_truncates_once(self, start, tries):
        if tries:
            return self.rest(start)
        return self.whole(BODY[:100_000], declared=len(BODY))

    def do_truncates_always(self, start, tries):
        self.answer(200, {"Content-Length": len(BODY)})
        self.wfile.write(BODY[:1000])

    def do_truncates_without_length(self, start, tries):
        self.answer(200, {})
        self.wfile.write(BODY[:1000])

    def do_stalls(self, start, tries):
        self.answer(200, {"Content-Length": len(BODY)})
        self.wfile.write(BODY[:1000])
        self.wfile.flush()
        self.server.release.wait(20)

    def do_never_answers(self, start, tries):
        self.server.release.wait(20)

    def do_drips(self, start, tries):
        self.answer(200, {"Content-Length": len(BODY)})
        for i in range(200):
            self.wfile.write(BODY[i : i + 1])
            self.wfile.flush()
            if self.server.release.wait(0.05):
                break

    def do_declares_more(self, start, tries):
        self.whole(BODY, declared=10**15)

    def do_declares_less(self, start, tries):
        self.whole(BODY, declared=1000)

    def do_declares_words(self, start, tries):
        self.whole(BODY, declared="many")

    def do_sends_more(self, start, tries):
        self.answer(200, {})
        self.wfile.write(BODY + b"more")

    def do_wrong_bytes(self, start, tries):
        self.whole(BODY[:-1] + bytes([BODY[-1] ^ 1]))

    def do_ignores_ranges(self, start, tries):
        self.whole(BODY)

    def do_wrong_range_once(self, start, tries):
        if not tries:
            return self.whole(BODY[5:], code=206, headers={"Content-Range": "bytes 5-9/10"})
        return self.rest(start)

    def do_no_such_range(self, start, tries):
        return self.rest(0) if not start else self.answer(416, {"Content-Length": 0})

    def do_busy_once(self, start, tries):
        return self.rest(start) if tries else self.answer(503, {"Content-Length": 0})

    def do_gone(self, start, tries):
        self.answer(404, {"Content-Length": 0})

    def do_forwards(self, start, tries):
        self.answer(302, {"Location": "/good", "Content-Length": 0})

    def do_forwards_to_http(self, start, tries):
        self.answer(302, {"Location": "http://example.org/x", "Content-Length": 0})

    def do_forwards_to_file(self, start, tries):
        self.answer(302, {"Location": "file:///etc/hostname", "Content-Length": 0})

    def do_talks_rubbish(self, start, tries):
        self.wfile.write(b"rubbish\r\n\r\n")


@pytest.fixture
def server():
    server = Server(("127.0.0.1", 0), Handler)
    server.seen = []
    server.release = threading.Event()
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    thread.join()
    server.server_close()


def get(server, path, target, **options):
    settings = {"sha256": SHA, "size": len(BODY), "timeout": 0.4, "_loopback": True}
    return download(f"{server.address}/{path}", target, **{**settings, **options})


@pytest.mark.parametrize(
    "path",
    ["good", "truncates_once", "busy_once", "forwards", "ignores_ranges", "no_such_range",
     "wrong_range_once"],
)  # fmt: skip
@pytest.mark.parametrize("kept", [0, 5000])
def test_the_file_comes_whole(server, tmp_path, path, kept):
    target = tmp_path / "file.bin"
    if kept:
        (tmp_path / "file.bin.part").write_bytes(BODY[:kept])
    assert get(server, path, target) == target
    assert target.read_bytes() == BODY
    assert [p.name for p in tmp_path.iterdir()] == ["file.bin"]


def test_only_the_rest_is_fetched_again(server, tmp_path):
    get(server, "truncates_once", tmp_path / "f")
    assert server.seen == [("/truncates_once", None), ("/truncates_once", "bytes=100000-")]


def test_a_later_call_goes_on(server, tmp_path):
    with pytest.raises(InputError, match="100,000 of 300,000 bytes have come and are kept"):
        get(server, "truncates_once", tmp_path / "f", attempts=1)
    assert not (tmp_path / "f").exists()
    get(server, "good", tmp_path / "f")
    assert server.seen[-1] == ("/good", "bytes=100000-")
    assert (tmp_path / "f").read_bytes() == BODY


def test_progress(server, tmp_path):
    calls = []
    get(server, "good", tmp_path / "f", progress=lambda done, size: calls.append((done, size)))
    assert calls[-1] == (300_000, 300_000)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})


FAILURES = {
    "truncates_always": "the server stopped after 1,000 bytes",
    "truncates_without_length": "the server stopped after 1,000 bytes",
    "stalls": "no answer for 0.4 seconds",
    "never_answers": "no answer for 0.4 seconds",
    "declares_more": "declares 1000000000000000 bytes",
    "declares_less": "declares 1000 bytes from byte 0 on, but the file has 300,000",
    "declares_words": "declares many bytes",
    "sends_more": "sends more than the 300,000 bytes",
    "wrong_bytes": "bytes are not those of the catalogue: sha256 [0-9a-f]{64} instead of",
    "gone": "answers 404",
    "forwards_to_http": "http://example.org/x: only https",
    "forwards_to_file": "answers 302 .*not allowed",
    "talks_rubbish": "could not be fetched",
}


@pytest.mark.parametrize("path", FAILURES)
def test_failures_are_one_clear_error(server, tmp_path, path):
    target = tmp_path / "file.bin"
    target.write_bytes(b"old")
    start = time.monotonic()
    with pytest.raises(InputError, match=FAILURES[path]) as caught:
        get(server, path, target, attempts=2)
    assert type(caught.value) is InputError
    assert time.monotonic() - start < 10
    assert target.read_bytes() == b"old"


def test_bytes_known_to_be_wrong_are_not_kept(server, tmp_path):
    for path in ("wrong_bytes", "sends_more", "declares_more"):
        with pytest.raises(InputError):
            get(server, path, tmp_path / "f")
        assert list(tmp_path.iterdir()) == []


def test_time_limit_for_drops_of_data(server, tmp_path):
    start = time.monotonic()
    with pytest.raises(InputError, match="time limit"):
        get(server, "drips", tmp_path / "f", time_limit=0.5)
    assert time.monotonic() - start < 5


def test_size_cap_before_any_byte(server, tmp_path):
    with pytest.raises(InputError, match="300,000 bytes, more than max_bytes=1,000"):
        get(server, "good", tmp_path / "f", max_bytes=1000)
    assert server.seen == []


UNKNOWN = {"sha256": None, "size": None}


@pytest.mark.parametrize("path", ["good", "truncates_once", "busy_once", "forwards"])
def test_size_and_checksum_unknown(server, tmp_path, path):
    (tmp_path / "f.part").write_bytes(b"of another file")
    assert get(server, path, tmp_path / "f", **UNKNOWN).read_bytes() == BODY
    assert {asked for _, asked in server.seen} == {None}  # never goes on from unknown bytes


@pytest.mark.parametrize("path", ["good", "sends_more"])
def test_the_cap_holds_where_the_size_is_unknown(server, tmp_path, path):
    with pytest.raises(InputError, match="max_bytes"):
        get(server, path, tmp_path / "f", max_bytes=1000, **UNKNOWN)
    assert list(tmp_path.iterdir()) == []


def test_trouble_where_the_size_is_unknown(server, tmp_path):
    for path in ("stalls", "truncates_always", "gone", "declares_words", "talks_rubbish"):
        with pytest.raises(InputError):
            get(server, path, tmp_path / "f", attempts=1, **UNKNOWN)
        assert not (tmp_path / "f").exists()


def test_a_part_that_is_too_long_is_thrown_away(server, tmp_path):
    (tmp_path / "f.part").write_bytes(BODY + b"x")
    get(server, "good", tmp_path / "f")
    assert (tmp_path / "f").read_bytes() == BODY


@pytest.mark.parametrize(
    "url", ["http://example.org/a", "ftp://example.org/a", "file:///etc/hostname", "a", "https://",
            "https://[", "http://127.0.0.1.example.org/"],
)  # fmt: skip
def test_only_https(tmp_path, url):
    for loopback in (False, True):
        with pytest.raises(InputError, match="only https"):
            download(url, tmp_path / "f", sha256=SHA, size=1, _loopback=loopback)
    with pytest.raises(InputError, match="only https"):
        download("http://127.0.0.1/a", tmp_path / "f", sha256=SHA, size=1)


def test_no_server_at_all(tmp_path):
    with pytest.raises(InputError, match=r"could not be fetched: .*refused"):
        download(
            "http://127.0.0.1:9/x", tmp_path / "f", sha256=SHA, size=1, _loopback=True, timeout=2
        )

"""One file from the network, whole and right, or an error that says what to do.

Only https. Where the size and the sha256 are known beforehand, a server that stalls,
stops, lies about the length or sends other bytes is found out; what came is kept
beside the target and taken up again at the next try. Where they are not, the caller
must have said so, the declared length and the cap are held to, and every try begins
at the first byte.
"""

import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from trueval.core.errors import Fix, InputError
from trueval.core.files import sha256_of

__all__ = ["MAX_DOWNLOAD", "download"]

MAX_DOWNLOAD = 4 * 2**30
"""Largest file fetched by default, in bytes."""

Progress = Callable[[int, int], None]
_CHUNK = 2**16
_ONLY_HTTPS = "{}: only https addresses are fetched. Fetch the file by hand if you must."


class _RefusedError(InputError):
    """A failure that another try would not mend."""


def download(
    url: str,
    target: str | os.PathLike[str],
    *,
    sha256: str | None,
    size: int | None,
    progress: Progress | None = None,
    timeout: float = 30.0,
    time_limit: float = 3600.0,
    attempts: int = 3,
    max_bytes: int = MAX_DOWNLOAD,
    _loopback: bool = False,
) -> Path:
    """Fetch a file; held to its size and sha256 where these are known.

    >>> from trueval.data.download import download
    >>> download("http://example.org/a.zip", "a.zip", sha256="", size=1)
    Traceback (most recent call last):
    trueval.InputError: http://example.org/a.zip: only https addresses are fetched...
    """
    target = Path(target)
    part = target.with_name(target.name + ".part")
    if not _may_fetch(url, _loopback):
        raise InputError(_ONLY_HTTPS.format(url))
    if size is not None and size > max_bytes:
        raise InputError(
            f"{url}: the file has {size:,} bytes, more than max_bytes={max_bytes:,}.",
            fix=Fix("Pass a larger {} to fetch it.", "max_bytes"),
        )
    end = time.monotonic() + time_limit
    trouble = ""
    for _ in range(max(1, attempts)):
        try:
            if size is None:
                part.unlink(missing_ok=True)  # it may be of another file
            _fetch(url, part, size, max_bytes, progress, timeout, end, _loopback)
        except _RefusedError as refused:
            part.unlink(missing_ok=True)
            raise InputError(str(refused)) from None
        except (OSError, HTTPException, ValueError) as error:
            trouble = _describe(error, timeout)
            if time.monotonic() > end:
                break
            continue
        if sha256 is not None:
            _check_bytes(url, part, sha256)
        os.replace(part, target)
        return target
    have = part.stat().st_size if part.exists() else 0
    if size is None:
        raise InputError(f"{url}: the file could not be fetched: {trouble}.", fix="Try again.")
    raise InputError(
        f"{url}: the file could not be fetched: {trouble}. {have:,} of {size:,} bytes have come "
        "and are kept; the next call goes on from there."
    )


def _may_fetch(url: str, loopback: bool) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if loopback and parts.scheme == "http":
        return host in ("127.0.0.1", "localhost", "::1")
    return parts.scheme == "https" and bool(host)


class _Forwarding(urllib.request.HTTPRedirectHandler):
    """Follow to https only."""

    def __init__(self, loopback: bool) -> None:
        self._loopback = loopback

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str):  # type: ignore[no-untyped-def]
        if not _may_fetch(newurl, self._loopback):
            fp.close()
            raise _RefusedError(_ONLY_HTTPS.format(newurl))
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetch(
    url: str,
    part: Path,
    size: int | None,
    max_bytes: int,
    progress: Progress | None,
    timeout: float,
    end: float,
    loopback: bool,
) -> None:
    """One try: bring ``part`` to its full size, going on from what it has."""
    start = part.stat().st_size if part.exists() else 0
    if size is not None and start > size:
        part.unlink()
        start = 0
    if start == size and part.exists():
        return
    request = urllib.request.Request(url, headers={"User-Agent": "trueval"})
    if start:
        request.add_header("Range", f"bytes={start}-")
    handlers: list[Any] = [_Forwarding(loopback)]
    if loopback:
        handlers.append(urllib.request.ProxyHandler({}))
    opener = urllib.request.build_opener(*handlers)
    try:
        response = opener.open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416 and start:
                part.unlink()
                raise ConnectionError("the server does not go on from where it stopped") from None
            if error.code >= 500:
                raise ConnectionError(f"the server answers {error.code}") from None
        raise _RefusedError(
            f"{url}: the server answers {error.code} {error.reason}. The file is not there or not "
            "open; fetch it by hand."
        ) from None
    with response:
        start = _start_of(response, start, part)
        size = _length(url, response, start, size, max_bytes)
        with open(part, "r+b" if start else "wb") as file:
            file.seek(start)
            file.truncate()
            _copy(url, response, file, start, size, max_bytes, progress, end)
            file.flush()
            os.fsync(file.fileno())


def _start_of(response: Any, asked: int, part: Path) -> int:
    """Where the bytes of the answer begin; 0 if the server sends all again."""
    if response.status != 206:
        return 0
    said = str(response.headers.get("Content-Range", ""))
    if said.startswith(f"bytes {asked}-"):
        return asked
    part.unlink(missing_ok=True)
    raise ConnectionError(f"the server was asked to go on from byte {asked:,} and sends {said!r}")


def _length(url: str, response: Any, start: int, size: int | None, max_bytes: int) -> int | None:
    """Size of the whole file; refused if the server declares another, or too large a one."""
    declared = str(response.headers.get("Content-Length", ""))
    if not declared:
        return size
    number = int(declared[:30]) if declared.isascii() and declared.isdigit() else -1
    if number < 0 or (size is not None and start + number != size):
        should = "" if size is None else f", but the file has {size:,} bytes in all"
        raise _RefusedError(
            f"{url}: the server declares {declared[:30]} bytes from byte {start:,} on{should}. "
            "It is another file, or the server lies; fetch it by hand."
        )
    if start + number > max_bytes:
        raise _RefusedError(
            f"{url}: the file has {number:,} bytes, more than max_bytes={max_bytes:,}. "
            "Pass a larger max_bytes to fetch it."
        )
    return start + number


def _copy(
    url: str,
    response: Any,
    file: IO[bytes],
    done: int,
    size: int | None,
    max_bytes: int,
    progress: Progress | None,
    end: float,
) -> None:
    most = max_bytes if size is None else size
    while size is None or done < size:
        if time.monotonic() > end:
            raise TimeoutError("the time limit is over")
        # One receive at a time, so that drops of data cannot outrun the limit.
        chunk = response.read1(_CHUNK)
        if not chunk:
            if size is None:
                return
            raise ConnectionError(f"the server stopped after {done:,} bytes")
        done += len(chunk)
        if done > most:
            raise _RefusedError(
                f"{url}: the server sends more than the {most:,} bytes "
                f"{'of max_bytes' if size is None else 'of the file'}. It is another file; fetch "
                "it by hand."
            )
        file.write(chunk)
        if progress is not None:
            progress(done, size or 0)


def _check_bytes(url: str, part: Path, sha256: str) -> None:
    found = sha256_of(part)
    if found != sha256:
        part.unlink()
        raise InputError(
            f"{url}: the bytes are not those of the catalogue: sha256 {found} instead of "
            f"{sha256}. They were thrown away.",
            fix="Try again; if it stays so, the file has changed at its source.",
        )


def _describe(error: BaseException, timeout: float) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError) and "limit" not in str(reason):
        return f"no answer for {timeout:g} seconds"
    return f"{reason or type(error).__name__}"

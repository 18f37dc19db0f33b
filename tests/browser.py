"""A headless Chromium that may load nothing but the file it is given."""

import os
import shutil
from pathlib import Path

import pytest


def wait_until(page, expression, arg=None):
    """Wait until an expression of the page is true, at most 30 seconds.

    Playwright's own ``wait_for_function`` evaluates text inside the page from the second
    attempt on, which the page's content security policy forbids.
    """
    for _ in range(600):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"after 30 seconds still not true: {expression}")


@pytest.fixture(scope="session")
def browser():
    required = os.environ.get("TRUEVAL_REQUIRE_BROWSER") == "1"
    program = shutil.which("chromium")
    if program is None and not required:
        pytest.skip("chromium is not installed, so the page cannot be opened")
    assert program is not None, "TRUEVAL_REQUIRE_BROWSER=1 but there is no chromium"
    sync_api = pytest.importorskip("playwright.sync_api") if not required else None
    if sync_api is None:
        from playwright import sync_api
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(
            executable_path=program,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
            ],
        )
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser):
    """Open a file; at the end assert that it asked for nothing and complained of nothing."""
    contexts, wanted, said = [], [], []

    def route(handler):
        address = handler.request.url
        if address.startswith("file:") and address.split("#")[0] == route.file:
            handler.continue_()
        else:
            wanted.append(address)
            handler.abort()

    def opened(path, *, drawn="html[data-drawn]", **options):
        route.file = Path(path).as_uri()
        context = browser.new_context(accept_downloads=True, **options)
        contexts.append(context)
        context.route("**/*", route)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"),
                                          dialog.dismiss()))  # fmt: skip
        page.goto(route.file)
        page.wait_for_selector(drawn, state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wanted == []
    assert said == []

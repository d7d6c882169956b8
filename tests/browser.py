"""A real browser for tests of pages, where there is one."""

import shutil
from contextlib import contextmanager

import pytest

#: Without these a browser on a closed network keeps asking for its maker's servers.
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium():
    """Start a headless Chromium of the system, or skip the test."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=_QUIET)
        yield browser
        browser.close()


class Opened:
    """A page with all that happened on it."""

    def __init__(self, browser, path, **options):
        self.page = browser.new_page(**options)
        self.messages, self.requests, self.dialogs = [], [], []
        self.page.on("console", lambda message: self.messages.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.messages.append(f"uncaught: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.url = path.as_uri()
        self.page.goto(self.url)
        self.page.wait_for_function("!document.querySelector('.chart:not(.js-plotly-plot)')")

    def value(self, field, model=0):
        """Full number behind a displayed one."""
        return self.page.locator(f"[data-model='{model}'][data-field='{field}']").evaluate("place => place.value")

    def text(self, field, model=0, *, note=False):
        """Return what the reader sees."""
        kind = "note" if note else "field"
        return self.page.locator(f"[data-model='{model}'][data-{kind}='{field}']").inner_text()

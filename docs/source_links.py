"""Links from the source pages back to the API, right where a module is documented in two places.

``sphinx.ext.viewcode`` takes one public package for all names of a module. A name that is
documented in another package then gets an anchor that does not exist; the file name of its page has
the right one.
"""

import re

LINK = re.compile(r"(api/generated/([\w.]+)\.html)#([\w.]+)")


def repair(body: str) -> str:
    """The HTML with anchors that begin with the name of their page."""

    def anchor(match: re.Match) -> str:
        address, page, name = match.groups()
        if name == page or name.startswith(f"{page}."):
            return match[0]
        words, last = name.split("."), page.rpartition(".")[2]
        if last not in words:
            return match[0]
        members = words[words.index(last) + 1 :]
        return f"{address}#{'.'.join([page, *members])}"

    return LINK.sub(anchor, body)


def setup(app):
    """Repair the source pages as they are written."""

    def on_page(app, pagename, templatename, context, doctree):
        if pagename.startswith("_modules/"):
            context["body"] = repair(context["body"])

    app.connect("html-page-context", on_page)

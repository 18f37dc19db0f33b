"""Check the links of built HTML: python docs/check_links.py FOLDER [--external].

Every internal href, src and anchor must lead somewhere. External addresses are counted,
and listed with --external, but not fetched. Ends with 1 if a link is broken.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Written by scripts when the page is used; they exist only there.
MADE_IN_THE_BROWSER = {"", "top", "main-content", "pst-back-to-top"}


class Page(HTMLParser):
    """Links and anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[int, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src", "poster") or (name == "data" and tag == "object"):
                self.links.append((self.getpos()[0], value.strip()))
            elif name == "srcset":
                self.links += [(self.getpos()[0], part.split()[0]) for part in value.split(",")]


def check(folder: Path) -> tuple[list[str], dict[str, str], int]:
    """Broken links, external addresses with a page that has them, and how many links were seen."""
    root = folder.resolve()
    # The theme leaves a template among its static files, which is no page.
    files = [p for p in root.rglob("*.html") if p.relative_to(root).parts[0] != "_static"]
    pages = {p: Page(p.read_text(encoding="utf-8")) for p in files}
    broken, external, seen = [], {}, 0
    for path, page in sorted(pages.items()):
        for line, link in page.links:
            seen += 1
            parts = urlsplit(link)
            where = f"{path.relative_to(root)}:{line}: {link}"
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                external.setdefault(link, where)
                continue
            target = path
            if parts.path:
                base = root if parts.path.startswith("/") else path.parent
                target = (base / unquote(parts.path).lstrip("/")).resolve()
                if target.is_dir():
                    target /= "index.html"
            if not target.is_file():
                broken.append(f"{where} (no such file)")
            elif target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in MADE_IN_THE_BROWSER | pages[target].anchors:
                    broken.append(f"{where} (no such anchor)")
    return broken, external, seen


def main(arguments: list[str]) -> int:
    folders = [a for a in arguments if not a.startswith("--")]
    if len(folders) != 1 or not Path(folders[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    broken, external, seen = check(Path(folders[0]))
    if "--external" in arguments:
        print("\n".join(sorted(external)))
    for line in broken:
        print(line)
    print(f"{seen:,} links, {len(broken)} broken, {len(external)} external addresses not fetched")
    if not seen:
        print("no links at all: is this the folder of the built HTML?")
    return 1 if broken or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What an audit found as files for other programs: JUnit for test reports, SARIF for code hosts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from trueval._version import __version__
from trueval.core.files import atomic_write

__all__ = ["Finding", "write_junit", "write_sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class Finding:
    """One check of one split.

    Attributes
    ----------
    split, check : str
        Their names.
    message : str
        What was found, or why the check was not made.
    alarm : bool
    level : {"error", "warning"}
        Of an alarm: one that makes the command fail, or not.
    skipped : bool
        Whether the check was not made.
    """

    split: str
    check: str
    message: str
    alarm: bool = False
    level: str = "error"
    skipped: bool = False


def write_junit(path: Path, findings: Sequence[Finding], file: str) -> None:
    """Write one test suite for each split, one test case for each check.

    An alarm that does not make the command fail is a passed test with a note.
    """
    root = ET.Element("testsuites", name="trueval audit")
    for split in dict.fromkeys(finding.split for finding in findings):
        of_split = [finding for finding in findings if finding.split == split]
        failed = [f for f in of_split if f.alarm and f.level == "error"]
        counts = {
            "tests": len(of_split),
            "failures": len(failed),
            "errors": 0,
            "skipped": sum(f.skipped for f in of_split),
        }
        numbers = {name: str(number) for name, number in counts.items()}
        suite = ET.SubElement(root, "testsuite", {"name": _xml(f"{file}: {split}"), **numbers})
        for finding in of_split:
            case = ET.SubElement(
                suite, "testcase", name=_xml(finding.check), classname=_xml(f"trueval.{split}")
            )
            message = _xml(finding.message)
            if finding.skipped:
                ET.SubElement(case, "skipped", message=message)
            elif finding in failed:
                ET.SubElement(case, "failure", message=message).text = message
            else:
                ET.SubElement(case, "system-out").text = message
    text = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    with atomic_write(path) as target:
        target.write(text + b"\n")


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def write_sarif(path: Path, findings: Sequence[Finding], file: str) -> None:
    """Write SARIF 2.1.0: a rule for each check, a result for each alarm."""
    checks = list(dict.fromkeys(finding.check for finding in findings))
    rules = [
        {"id": f"trueval/{check}", "shortDescription": {"text": f"Audit of a split: {check}"}}
        for check in checks
    ]
    results = [
        {
            "ruleId": f"trueval/{finding.check}",
            "ruleIndex": checks.index(finding.check),
            "level": finding.level,
            "message": {"text": f"{finding.split}: {finding.message}"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(file)}}}],
        }
        for finding in findings
        if finding.alarm
    ]
    driver = {"name": "trueval", "version": __version__, "rules": rules}
    run: dict[str, Any] = {"tool": {"driver": driver}, "results": results}
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    with atomic_write(path) as target:
        target.write(json.dumps(log, indent=1, ensure_ascii=False).encode() + b"\n")


def _uri(file: str) -> str:
    """A path as the URI that SARIF wants: relative ones stay so."""
    from urllib.parse import quote

    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())

#!/usr/bin/env python3
"""Checks all pages of the tree: relative links lead somewhere, docs/README.md lists every page of docs/, and a command for the AWS
CLI, in a page or in a text that the program prints, names its endpoint. Without one it would run against AWS. The AWS CLI of Debian 12
does not read AWS_ENDPOINT_URL, so that each command needs --endpoint-url.

    tests/pages.py [ROOT]     prints what is wrong, one line each, and fails if anything is
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#:]+)(?:#[\w-]+)?\)")
COMMAND = re.compile(r"\baws dynamodb(?:streams)? [a-z]+-[a-z-]+(?:[^\n]*\\\n)*[^\n]*")
NO_COMMAND = re.compile(r"--cli-input-json`")  # names a format, as in "what `aws … --cli-input-json` takes"


def pages(root):
    return [page for page in root.rglob("*.md") if not {"build", ".git", "node_modules"} & set(page.relative_to(root).parts)]


def dead_links(root):
    for page in pages(root):
        for link in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)):
            if not (page.parent / link).exists():
                yield f"{page.relative_to(root)}: the link {link} leads nowhere"


def unlisted_pages(root):
    index = (root / "docs/README.md").read_text()
    for page in sorted((root / "docs").glob("*.md")):
        if page.name != "README.md" and f"]({page.name})" not in index:
            yield f"docs/README.md does not list {page.name}"


def commands_without_endpoint(root):
    sources = [path for path in (root / "src").rglob("*.cc") if not path.name.endswith("_test.cc")]
    for path in pages(root) + sources:
        text = path.read_text()
        for found in COMMAND.finditer(text):
            # A command of code may end on the next lines.
            command = found.group() if path.suffix == ".md" else text[found.start():found.end() + 300]
            if "--endpoint-url" not in command and not NO_COMMAND.search(command):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{path.relative_to(root)}:{line}: a command for AWS without --endpoint-url: {found.group()[:60]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    wrong = [*dead_links(root), *unlisted_pages(root), *commands_without_endpoint(root)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

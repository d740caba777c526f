#!/usr/bin/env python3
"""What is wrong with a directory of Ethereum Improvement Proposals, computed a second time.

Shares nothing with the engine: regular expressions instead of a Markdown parser, and the
dictionary of a proposal instead of a taxonomy. Compares with a report of the engine and prints how
many findings there are of each kind; exits 1 when the two disagree, and names every difference.

    headwater check --json --root DIRECTORY > report.json
    python3 eips.py DIRECTORY report.json      # DIRECTORY holds EIPS/
"""

import json
import os
import re
import sys
from collections import Counter
from urllib.parse import unquote

STATES = ["Draft", "Review", "Last Call", "Stagnant", "Final", "Living", "Withdrawn", "Moved"]
STABLE = ["Final", "Living"]
UNSETTLED = ["Draft", "Review", "Last Call", "Stagnant"]
JUDGED = [
    "facet.value.not_permitted",
    "relation.target.unresolved",
    "relation.cycle",
    "lifecycle.dependency.on_initial",
    "lifecycle.dependency.on_terminal",
    "link.path.unresolved",
    "link.fragment.unresolved",
]


def blank(text):
    """The same text with everything but its line breaks made blank, so that offsets stay."""
    return re.sub(r"[^\n]", " ", text)


def visible(body):
    """The body with code, comments and block quotations blanked."""
    lines, fence = [], None
    for line in body.split("\n"):
        opened = re.match(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?!.*`)|~{3,})", line)
        if fence:
            closed = re.fullmatch(r"\s*(`{3,}|~{3,})\s*", line)
            if closed and closed.group(1).startswith(fence):
                fence = None
            lines.append(blank(line))
        elif opened:
            fence = opened.group(1)
            lines.append(blank(line))
        elif re.match(r" {0,3}>", line):
            lines.append(blank(line))
        elif re.match(r"( {4}|\t)", line) and not (lines and lines[-1].strip()) and not in_list(lines):
            lines.append(blank(line))
        else:
            lines.append(line)
    text = "\n".join(lines)
    text = re.sub(r"<!--.*?-->", lambda m: blank(m.group()), text, flags=re.S)
    return re.sub(
        r"(?<![`\\])(`+)(?!`)((?:(?!\n\s*\n).)+?)(?<!`)\1(?!`)",
        lambda m: blank(m.group()),
        text,
        flags=re.S,
    )


def in_list(lines):
    """Whether the last paragraph that is not indented is an item of a list."""
    for line in reversed(lines):
        if line.strip() and not line.startswith((" ", "\t")):
            return bool(re.match(r"([-*+]|\d+[.)])\s", line)) or line.startswith("[^")
    return False


TEXT = r"\[((?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]"
DESTINATION = r"(<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)"
INLINE = re.compile(TEXT + r"\(\s*" + DESTINATION + r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[([^\[\]^][^\[\]]*)\]:\s*" + DESTINATION, re.M)


def links(text):
    """(offset, destination) of every link of a visible text."""
    named = {}
    for found in DEFINITION.finditer(text):
        named.setdefault(" ".join(found.group(1).lower().split()), found.group(2))
    text = DEFINITION.sub(lambda m: blank(m.group()), text)
    image = re.compile(r"!" + TEXT + r"(?:\([^()\n]*\)|\[[^\]\n]*\])?")
    text = image.sub(lambda m: re.sub(r"[^\n]", "x", m.group()), text)
    found = []
    for link in INLINE.finditer(text):
        found.append((link.start(), link.group(2)))
    text = INLINE.sub(lambda m: blank(m.group()), text)
    for link in re.finditer(r"\[([^\[\]]+)\](?:\[([^\[\]]*)\])?", text):
        label = " ".join((link.group(2) or link.group(1)).lower().split())
        if label in named:
            found.append((link.start(), named[label]))
    return [(at, destination.strip("<>")) for at, destination in found]


def slugs(text, raw):
    """The anchors of a document: its headings (numbered when they repeat)."""
    found, taken = set(), {}
    headings = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$|^(\S.*)\n {0,3}(?:=+|-+)[ \t]*$", re.M)
    for heading in headings.finditer(raw):
        if heading.group(0).strip() and not text[heading.start():heading.end()].strip():
            continue
        words = heading.group(1) or heading.group(2) or ""
        words = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", words)
        words = re.sub(r"<[^>]*>|(?<!\w)[*_]+|[*_]+(?!\w)|\*|`|\\", "", words).strip().lower()
        slug = "".join(c for c in words if c.isalnum() or c in " -_").replace(" ", "-")
        number, anchor = taken.get(slug, 0), slug
        while True:
            anchor = f"{slug}-{number}" if number else slug
            number += 1
            if anchor not in found:
                break
        taken[slug] = number
        found.add(anchor)
    return found


class Proposal:
    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8", newline="") as file:
            whole = file.read()
        _, front, body = whole.split("---\n", 2)
        self.body_line = front.count("\n") + 3
        self.body = body
        self.visible = visible(body)
        self.fields = {}
        for number, line in enumerate(front.split("\n"), start=2):
            key, colon, value = line.partition(":")
            if colon and not line.startswith(" "):
                self.fields[key] = (number, value.strip())
        self.number = self.fields["eip"][1]
        self.requires = [part.strip() for part in self.fields.get("requires", (0, ""))[1].split(",")]
        self.requires = [part for part in self.requires if part]
        self.status = self.fields["status"][1]

    def line(self, key):
        return self.fields[key][0]

    def line_at(self, offset):
        return self.body_line + self.body.count("\n", 0, offset)


def circles(proposals):
    """The sets of proposals that each reach each other, by following edges from every one."""
    reach = {}
    for number in proposals:
        seen, work = set(), [number]
        while work:
            for target in proposals[work.pop()].requires:
                if target in proposals and target not in seen:
                    seen.add(target)
                    work.append(target)
        reach[number] = seen
    found = set()
    for number, seen in reach.items():
        circle = frozenset(other for other in seen if number in reach[other]) | {number}
        if len(circle) > 1:
            found.add(frozenset(circle))
    return found


def findings_of(root):
    directory = os.path.join(root, "EIPS")
    names = sorted(name for name in os.listdir(directory) if name.endswith(".md"))
    every = [Proposal(root, "EIPS/" + name) for name in names]
    by_number = {proposal.number: proposal for proposal in every}
    by_path = {proposal.path: proposal for proposal in every}
    findings = []
    for this in every:
        if this.status not in STATES:
            findings.append(("facet.value.not_permitted", this.path, this.line("status")))
        for target in this.requires:
            line = this.line("requires")
            if target not in by_number:
                findings.append(("relation.target.unresolved", this.path, line))
            elif this.status in STABLE and by_number[target].status in UNSETTLED:
                findings.append(("lifecycle.dependency.on_initial", this.path, line))
            elif this.status in STABLE and by_number[target].status == "Withdrawn":
                findings.append(("lifecycle.dependency.on_terminal", this.path, line))
        for offset, destination in links(this.visible):
            path, _, fragment = destination.partition("#")
            path = path.partition("?")[0]
            if path.startswith("//") or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", path):
                continue
            here = os.path.dirname(this.path)
            target = path[1:] if path.startswith("/") else os.path.join(here, path)
            target = os.path.normpath(target) if path else this.path
            if not os.path.exists(os.path.join(root, target)):
                target = unquote(target)
            if target.startswith("..") or not os.path.exists(os.path.join(root, target)):
                findings.append(("link.path.unresolved", this.path, this.line_at(offset)))
            elif fragment and target in by_path:
                that = by_path[target]
                anchors = slugs(that.visible, that.body)
                if fragment not in anchors and unquote(fragment) not in anchors:
                    findings.append(("link.fragment.unresolved", this.path, this.line_at(offset)))
    for circle in circles(by_number):
        first = min((by_number[number] for number in circle), key=lambda proposal: proposal.path)
        findings.append(("relation.cycle", first.path, first.line("requires")))
    return Counter(findings)


def main(root, report):
    with open(report, encoding="utf-8") as file:
        reported = json.load(file)["findings"]
    theirs = Counter(
        (found["rule"], found["path"], found["line"]) for found in reported if found["rule"] in JUDGED
    )
    ours = findings_of(root)
    for rule in JUDGED:
        print(rule, sum(count for finding, count in ours.items() if finding[0] == rule))
    for who, only in [("this script", ours - theirs), ("the engine", theirs - ours)]:
        for rule, path, line in sorted(only.elements()):
            print(f"only {who} says: {path}:{line}: {rule}")
    return 0 if ours == theirs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

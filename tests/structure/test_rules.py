"""The table op x rule, kept in rules.txt: which rules are written, which follow from something else, which are refused.

`pytest tests/structure --update-snapshots` writes it anew; the diff is the review."""
import importlib
import pathlib
import pkgutil

import gnomon.ops
from gnomon.ir.op import RULES, Op, rule_kind

PATH = pathlib.Path(__file__).with_name("rules.txt")


def op_classes():
    """Every op of ours, by family and name."""
    for module in pkgutil.walk_packages(gnomon.ops.__path__, "gnomon.ops."):
        importlib.import_module(module.name)
    found, waiting = set(), [Op]
    while waiting:
        cls = waiting.pop()
        waiting += type.__subclasses__(cls)
        if not cls.abstract and cls.__module__.startswith("gnomon.ops."):
            found.add(cls)
    return sorted(found, key=lambda cls: (cls.__module__, cls.op_name, cls.__name__))


def table():
    """One line an op."""
    rows = [["", *RULES]]
    family = None
    for cls in op_classes():
        if cls.__module__ != family:
            family = cls.__module__
            rows.append([family.removeprefix("gnomon.ops.")])
        rows.append(["  " + cls.op_name, *[rule_kind(cls, rule) for rule in RULES]])
    widths = [max(len(row[i]) for row in rows if len(row) > 1) for i in range(len(RULES) + 1)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join(lines) + "\n"


def test_rules(request):
    text = table()
    if request.config.getoption("--update-snapshots"):
        PATH.write_text(text)
    assert text == PATH.read_text(), "the rules have changed; run with --update-snapshots and look at the diff"


def test_refusals_say_what_to_do():
    """The reason in a refused slot is what the user reads."""
    short = [f"{cls.op_name}.{rule}" for cls in op_classes() for rule in RULES
             if rule_kind(cls, rule) == "refused" and len(getattr(cls, rule).why.split()) < 4]
    assert not short

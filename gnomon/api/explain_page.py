"""An explanation as one self-contained HTML page: no external requests, folds, links between source lines and equations."""
from __future__ import annotations

import html

from gnomon.base.source import file_line
from gnomon.ir.show import Printer, layout
from gnomon.passes.cliffs import bytes_text

SHOWN = 4000            # equations written out; the rest is counted

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --mark: #f5c54266; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 78rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre, td.code { font: 13px/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .8rem; margin: .5rem 0; } summary { cursor: pointer; }
.eqn { white-space: pre-wrap; padding: 0 .3rem; border-radius: .2rem; } .eqn:target, tr:target, .lit { background: var(--mark); }
.cliff { border-left: .3rem solid #d9822b; padding: .3rem .8rem; margin: .5rem 0; background: var(--soft); }
a { color: inherit; } .bar { background: #4a7ebb; height: .7rem; display: inline-block; border-radius: .15rem; }
svg text { font: 12px ui-monospace, monospace; fill: currentColor; }
"""

SCRIPT = """
document.addEventListener('click', e => {
  const row = e.target.closest('[data-line]');
  if (!row) return;
  document.querySelectorAll('.lit').forEach(x => x.classList.remove('lit'));
  const same = document.querySelectorAll('[data-line="' + row.dataset.line + '"]');
  same.forEach(x => x.classList.add('lit'));
  const folded = document.getElementById('equations');
  if (row.tagName === 'TR') { folded.open = true; const first = folded.querySelector('.lit'); if (first) first.scrollIntoView({block: 'center'}); }
  else { const tr = document.querySelector('tr.lit'); if (tr) tr.scrollIntoView({block: 'center'}); }
});
"""


def page(e):
    """The HTML text of an Explanation."""
    parts = [f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{text(e.name)}</title><style>{STYLE}</style></head><body>",
             f"<h1>{text(e.name)}</h1><details><summary>{e.equations:,} equations"
             f"{', ' + format(e.cost.get('flops', 0), ',.0f') + ' flops' if e.cost else ''}</summary><code>{text(e.signature)}</code></details>"]
    parts += [*cliffs(e), *stages(e), *lines(e), *picture(e), *equations(e)]
    parts.append(f"<script>{SCRIPT}</script></body></html>")
    return "\n".join(parts)


def text(s):
    return html.escape(str(s))


def short(file):
    return file.rsplit("/", 1)[-1]


def key(file, line):
    return f"{short(file)}:{line}"


def cliffs(e):
    yield "<h2>Cliffs</h2>"
    if not e.cliffs and not e.announced:
        yield "<p>None found.</p>"
    for c in e.cliffs:
        at = f"<a href='#L{c.line}'>{text(key(c.file, c.line))}</a>: " if c.file else ""
        yield f"<div class='cliff'>{at}<b>{text(c.kind)}</b>: {text(c.cost)}. <i>{text(c.edit)}.</i></div>"
    for sentence, at in e.announced:
        yield f"<div class='cliff'>{text(key(*at)) + ': ' if at else ''}{text(sentence)}</div>"
    if e.repeats:
        yield "<h2>Repeats</h2><ul>" + "".join(f"<li>{text(r)}</li>" for r in e.repeats) + "</ul>"


def stages(e):
    yield "<h2>Stages</h2><table>"
    longest = max(e.stages.values(), default=0) or 1
    for name, seconds in e.stages.items():
        yield (f"<tr><td>{text(name)}</td><td class='n'>{seconds * 1e3:.1f} ms</td>"
               f"<td style='width:60%'><span class='bar' style='width:{100 * seconds / longest:.1f}%'></span></td></tr>")
    if e.measured_seconds is not None:
        yield f"<tr><td>one run</td><td class='n'>{e.measured_seconds * 1e3:.3g} ms</td><td></td></tr>"
    yield "</table>"


def lines(e):
    yield ("<h2>By line of your code</h2><p>Click a line to see its equations.</p><table id='lines'><tr><th>line</th><th class='n'>equations</th>"
           "<th class='n'>flops</th><th class='n'>bytes</th><th>source</th></tr>")
    for x in sorted(e.lines, key=lambda x: -x.flops):
        yield (f"<tr id='L{x.line}' data-line='{text(key(x.file, x.line))}'><td>{text(key(x.file, x.line))}</td><td class='n'>{len(x.equations)}</td>"
               f"<td class='n'>{x.flops:,.0f}</td><td class='n'>{text(bytes_text(x.bytes))}</td><td class='code'>{text(x.text.rstrip())}</td></tr>")
    yield "</table>"


def equations(e):
    yield f"<details id='equations'><summary>The program ({len(e.jaxpr.eqns):,} equations)</summary>"
    printer = Printer()
    jaxpr = e.jaxpr
    used = {v for q in jaxpr.eqns for v in q.ins} | set(jaxpr.outvars)
    head = " ".join(printer.binder(v) for v in (*jaxpr.constvars, *jaxpr.invars))
    yield f"<div class='eqn'>{{ lambda ; {text(head)}. let</div>"
    for q in jaxpr.eqns[:SHOWN]:
        place = file_line(q.place)
        data = f" data-line='{text(key(*place))}'" if place else ""
        yield f"<div class='eqn'{data}>  {text(layout(printer.eqn(q, used), 100))}</div>"
    if len(jaxpr.eqns) > SHOWN:
        yield f"<div>and {len(jaxpr.eqns) - SHOWN:,} more</div>"
    yield f"<div class='eqn'>in ({text(', '.join(map(printer.name, jaxpr.outvars)))}) }}</div></details>"


def blocks(e):
    """The program as at most forty blocks in order: stretches of equations from one function of the user's."""
    out = []
    for q in e.jaxpr.eqns:
        name = q.place[0].co_name if q.place else "?"
        if out and out[-1][0] == name:
            out[-1][1] += 1
        else:
            out.append([name, 1])
    folded = []
    for name, n in out:             # a pattern of blocks that repeats is one block with a count
        if len(folded) >= 2 and folded[-2][:2] == [name, n]:
            folded[-2][2] += 1
            folded.append([name, n, 0])
            continue
        folded.append([name, n, 1])
    shown = [b for b in folded if b[2]]
    while len(shown) > 40:
        i = min(range(len(shown) - 1), key=lambda i: shown[i][1] + shown[i + 1][1])
        shown[i:i + 2] = [[shown[i][0], shown[i][1] + shown[i + 1][1], 1]]
    return shown


def picture(e):
    yield "<h2>Picture</h2>"
    row, width = 30, 520
    found = blocks(e)
    most = max((n for _, n, _ in found), default=1)
    yield f"<svg width='{width + 240}' height='{row * len(found) + 10}' role='img' aria-label='blocks of the program in order'>"
    for i, (name, n, times) in enumerate(found):
        y = 5 + i * row
        wide = 40 + (width - 40) * n / most
        again = f" × {times}" if times > 1 else ""
        yield (f"<rect x='4' y='{y}' width='{wide:.0f}' height='20' rx='4' fill='#4a7ebb' fill-opacity='.35' stroke='#4a7ebb'/>"
               f"<text x='12' y='{y + 15}'>{text(name)}: {n}{again}</text>")
        if i + 1 < len(found):
            yield f"<path d='M 20 {y + 20} v 10' stroke='#888' fill='none'/>"
    yield "</svg>"



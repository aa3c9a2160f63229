"""Formulas as MathML, which browsers draw themselves: the pages need no network.

docutils reads a part of LaTeX; a command that it does not know ends the build. An index after an
accent needs ``{}`` before it (``\\bar y{}_m``), or it is set below the letter.
"""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def in_a_line(writer, node):
    """A formula in the running text."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed(writer, node):
    """A formula in lines of its own, which scroll where a phone is too narrow."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Named ``html_math_renderer = "mathml"`` in conf.py."""
    app.add_html_math_renderer("mathml", (in_a_line, None), (displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

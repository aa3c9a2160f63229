"""The HTML pages of report, explain and audit: one folder of templates, filled by Jinja.

Text is escaped, and a value that is missing is an error.
"""

from typing import Any

import jinja2


def environment() -> jinja2.Environment:
    """Return a new environment over ``losaw/pages/templates``.

    A caller may add filters and functions of its own to it.
    """
    return jinja2.Environment(
        loader=jinja2.PackageLoader("losaw.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: Any) -> str:
    """Fill a template.

    Parameters
    ----------
    template : str
        Path below ``losaw/pages/templates``, for example ``"explain/page.html"``.
    **values
        What the template names. Text is escaped; ``markupsafe.Markup`` is taken as HTML.

    Returns
    -------
    str
        A whole page. It loads nothing from the network if the template includes its style.

    Raises
    ------
    jinja2.UndefinedError
        If the template names a value that is not given.
    """
    return environment().get_template(template).render(**values)

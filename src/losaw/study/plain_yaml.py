"""A loader of YAML that means what it looks like."""

import re
from collections import Counter
from typing import Any

import yaml

# Plain scalars that YAML 1.1 reads as truth values, in base 8 and in base 60.
_TWO_READINGS = re.compile(r"(?i)yes|no|on|off|[-+]?0[0-9_]+|[-+]?[0-9]+(:[0-9]+)+")
_EXPONENT = re.compile(r"[-+]?[0-9]*\.?[0-9]+[eE][-+]?[0-9]+$")


class PlainLoader(yaml.CSafeLoader):
    """A loader that refuses what would silently be read otherwise: 010, no, two keys of one name.

    1e-3 is a number, which is text in YAML 1.1.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        is_plain = isinstance(node, yaml.ScalarNode) and not node.style
        if is_plain and _TWO_READINGS.fullmatch(node.value):
            raise _error(f"{node.value} has two readings; write true, false, 8, or quote it", node)
        return super().construct_object(node, deep)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        counted = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key in (key for key, number in counted.items() if number > 1):
            raise _error(f"the key {key!r} is there twice", node)
        own = [key for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        names = [self.construct_object(key) for key in own if isinstance(key, yaml.ScalarNode)]
        for n, name in enumerate(names):
            if name in names[:n]:  # 1 and true, 0 and 0.0
                first = own[names.index(name)].value
                raise _error(f"the keys {first} and {own[n].value} are read as one", node)
        return dict(super().construct_mapping(node, deep))


PlainLoader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+.0123456789"))


def _error(message: str, node: yaml.Node) -> Exception:
    return yaml.constructor.ConstructorError(None, None, message, node.start_mark)

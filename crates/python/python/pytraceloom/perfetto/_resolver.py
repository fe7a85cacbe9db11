"""Finds traces: paths, files, bytes, and addresses that a resolver of the user understands."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Generic, TypeVar, Union, get_type_hints

# Bytes read at a time from files that the user opened.
CHUNK = 1 << 20

T = TypeVar("T")
TraceUri = str
TraceContent = Union[BinaryIO, Iterable[bytes]]


@dataclass
class ConstraintClass(Generic[T]):
    """A value of an address, and how it compares: ``version>=4``."""

    class Op(enum.Enum):
        EQ = "="
        NE = "!="
        LE = "<="
        GE = ">="
        GT = ">"
        LT = "<"

        def __str__(self) -> str:
            return self.value

    value: T
    op: Op = Op.EQ


class TraceUriResolver:
    """Turns an address such as ``lab:day=2026-01-01;device=a,b`` into traces. Subclasses set ``PREFIX``, take the parts of
    the address as arguments, and implement ``resolve``."""

    PREFIX: str | None = None

    @dataclass
    class Result:
        """A trace, and what is known about it."""

        trace: Any
        metadata: dict[str, str] = field(default_factory=dict)

    def resolve(self) -> list[TraceUriResolver.Result]:
        """The traces."""
        raise NotImplementedError("the resolver has no resolve()")

    @classmethod
    def from_trace_uri(cls, uri: TraceUri) -> TraceUriResolver:
        """The resolver for an address."""
        return cls(**arguments(uri, get_type_hints(cls.__init__)))


class PathUriResolver(TraceUriResolver):
    """Opens a path."""

    def __init__(self, path: str) -> None:
        self.path = path

    def resolve(self) -> list[TraceUriResolver.Result]:
        return [TraceUriResolver.Result(PathContent(self.path), {"_path": self.path})]

    @classmethod
    def from_trace_uri(cls, uri: TraceUri) -> PathUriResolver:
        return cls(uri)


class PathContent:
    """The content of a file, which the engine opens by its path."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __iter__(self) -> Iterator[bytes]:
        with open(self.path, "rb") as file:
            yield from parts(file)


class ResolverRegistry:
    """The resolvers by their prefix."""

    @dataclass
    class Result:
        """The content of a trace, and what is known about it."""

        generator: Iterable[bytes]
        metadata: dict[str, str]

    def __init__(self, resolvers: Iterable[type[TraceUriResolver]] = ()) -> None:
        self.registry: dict[str | None, type[TraceUriResolver]] = {None: PathUriResolver}
        for resolver in resolvers:
            self.register(resolver)

    def register(self, provider: type[TraceUriResolver]) -> None:
        """Adds a resolver."""
        self.registry[provider.PREFIX] = provider

    def resolve(self, reference: Any) -> list[ResolverRegistry.Result]:
        """The traces of a reference, or of a list of them."""
        if isinstance(reference, (list, tuple)):
            return [found for one in reference for found in self.resolve(one)]
        if hasattr(reference, "__fspath__"):
            reference = reference.__fspath__()
        if isinstance(reference, str):
            prefix = prefix_of(reference)
            if prefix not in self.registry:
                raise KeyError(f"there is no resolver for {prefix}:")
            reference = self.registry[prefix].from_trace_uri(reference)
        # Also a subclass of the class of the package perfetto.
        if hasattr(reference, "resolve"):
            return [
                ResolverRegistry.Result(inner.generator, {**outer.metadata, **inner.metadata})
                for outer in reference.resolve()
                for inner in self.resolve(outer.trace)
            ]
        if hasattr(reference, "read"):
            return [ResolverRegistry.Result(parts(reference), {})]
        if isinstance(reference, (bytes, bytearray, memoryview)):
            reference = [bytes(reference)]
        return [ResolverRegistry.Result(reference, {})]


def parts(file: BinaryIO) -> Iterator[bytes]:
    """The content of an open file."""
    while part := file.read(CHUNK):
        yield part


def prefix_of(uri: str) -> str | None:
    """What stands before the colon of an address; None for a path."""
    if uri.startswith(("/", ".")) or ":" not in uri:
        return None
    return uri.split(":", 1)[0]


def arguments(uri: str, hints: dict[str, Any]) -> dict[str, Any]:
    """The arguments in an address. Several values are a list. A comparison is a `ConstraintClass`, which the resolver's
    annotation has to mention."""
    found: dict[str, Any] = {}
    text = uri.split(":", 1)[-1]
    for part in filter(None, text.split(";")):
        match = re.fullmatch(r"(\w+)(>=|<=|!=|=|>|<)(.+)", part)
        if match is None:
            raise ValueError(f"{part} in {uri} is not an argument; write for example day=2026-01-01")
        key, op, value = match.groups()
        values: Any = value.split(",") if "," in value else value
        if "ConstraintClass" in str(hints.get(key)):
            constraint = ConstraintClass(values, ConstraintClass.Op(op))
            known = found.get(key)
            found[key] = constraint if known is None else [*(known if isinstance(known, list) else [known]), constraint]
        elif op == "=":
            found[key] = values
        else:
            raise ValueError(f"{key} in {uri} only supports =")
    return found

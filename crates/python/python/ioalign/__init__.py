"""Storage I/O alignment: what `ioalign check` and `ioalign trace summarize` say, as Python values.

    >>> import ioalign
    >>> ioalign.check("disk.img")["summary"]["verdict"]
    >>> ioalign.profile("trace.csv.gz")["alignment"]["state"]
    >>> ioalign.profile_table("trace.csv.gz").to_pandas()
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Union

from . import _ioalign
from ._ioalign import UnreadableError, __version__
from ._tables import TABLES, rows

if TYPE_CHECKING:
    import pyarrow

__all__ = ["TABLES", "UnreadableError", "__version__", "check", "profile", "profile_table"]

PathLike = Union[str, "os.PathLike[str]"]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def check(path: PathLike) -> dict[str, Any]:
    """Judges an image, a device, a folder, a support bundle or the output of another program.

    Returns the document of ``ioalign check --json`` (schema ``ioalign.check/1``). No policy file is applied.
    Raises UnreadableError when nothing can be said of `path`; in a folder such files are targets with an `error`.
    """
    return json.loads(_ioalign.check(os.fspath(path)))


def profile(
    *paths: PathLike,
    format: str | None = None,
    columns: str | None = None,
    offset_unit: int | None = None,
    length_unit: int | None = None,
    time_unit: str | None = None,
    latency_unit: str | None = None,
) -> dict[str, Any]:
    """Counts traces of one machine and one time, of any format that is known or described.

    Returns the document of ``ioalign trace summarize --json`` (schema ``ioalign.profile/1``). The arguments are the
    options ``--as``, ``--columns``, ``--offset-unit`` and ``--length-unit`` (bytes), ``--time-unit`` and
    ``--latency-unit`` (``"s"``, ``"ms"``, ``"us"``, ``"ns"``).
    Raises UnreadableError when a file cannot be read, ValueError when it leaves open what only you know.
    """
    if not paths:
        raise ValueError("profile() needs a trace")
    facts = {
        "format": format,
        "columns": columns,
        "offset_unit": offset_unit,
        "length_unit": length_unit,
        "time_unit": _nanoseconds(time_unit),
        "latency_unit": _nanoseconds(latency_unit),
    }
    return json.loads(_ioalign.profile([os.fspath(path) for path in paths], facts))


def profile_table(
    source: PathLike | dict[str, Any], table: str = "operations", **options: Any
) -> pyarrow.Table:
    """A table of a profile, for pyarrow, pandas, polars or DuckDB.

    `source` is a trace, read as by :func:`profile` with `options`, or a profile. `table` is one of :data:`TABLES`.
    Needs pyarrow (``pip install ioalign[arrow]``).
    """
    import pyarrow

    document = source if isinstance(source, dict) else profile(source, **options)
    found = rows(document, table)
    names = list(dict.fromkeys(name for row in found for name in row))
    columns = {name: [row.get(name) for row in found] for name in names}
    return pyarrow.table(columns)


def _nanoseconds(unit: str | None) -> int | None:
    if unit is None:
        return None
    if unit not in _NANOSECONDS:
        raise ValueError(f"a unit of time is one of {', '.join(_NANOSECONDS)}, not {unit}")
    return _NANOSECONDS[unit]

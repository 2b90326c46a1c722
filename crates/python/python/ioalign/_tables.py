"""A profile as rows: one table each for what a device has many of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: The tables of a profile, and what a row of each is.
TABLES = {
    "operations": "an operation of a device: counts, alignment, latency",
    "grids": "an operation of a device on one grid: chunks, physical blocks",
    "sizes": "a size of I/O of an operation, and how many start off 4096 bytes",
    "processes": "an operation of a process on a device",
    "bursts": "one of the largest bursts of a device",
    "samplers": "what a monitor with an interval of N seconds shows of a device",
}


def rows(profile: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """The rows of a table. Nested values have joined names (`latency_us_p99`); lists are left out."""
    if table not in TABLES:
        raise ValueError(f"a profile has the tables {', '.join(TABLES)}, not {table}")
    return [
        {"device": device["device"], **row}
        for device in profile["devices"]
        for row in _of_device(device, table)
    ]


def _of_device(device: dict[str, Any], table: str) -> Iterator[dict[str, Any]]:
    if table == "operations":
        for op, counts in device["by_op"].items():
            counts = {k: v for k, v in counts.items() if k != "latency_histogram_ns"}
            yield {"op": op, **_flat(counts)}
    elif table == "sizes":
        for op, counts in device["by_op"].items():
            for size in counts["size_histogram"]:
                yield {"op": op, **size}
    else:
        for one in device[table]:
            yield _flat(one)


def _flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, inner in value.items():
        if isinstance(inner, dict):
            flat.update(_flat(inner, f"{prefix}{name}_"))
        elif not isinstance(inner, list):
            flat[prefix + name] = inner
    return flat

"""Figures of one run (`ours`, `fio`), and the ratios of many (`compare`), from standard input: see fio-cross.sh."""

import json
import math
import sys
from collections import defaultdict

METRICS = ("I/Os a second", "p50", "p99")
# Two-sided 95 % of Student's t, by degrees of freedom.
STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09)
CLASSES = 0.02


UNITS = {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}


def micros(text):
    """µs of a time with its unit, as `1.5ms`."""
    digits = text.rstrip("nµms")
    return float(digits) * UNITS[text[len(digits):]]


def ours(text):
    """I/Os a second, and percentiles of the busier operation in µs: of the lines that the example prints."""
    rows = [line.split() for line in text.splitlines() if line.startswith(("read", "write"))]
    ops = [dict(zip(row[1::2], row[2::2])) for row in rows]
    busier = max(ops, key=lambda op: int(op["ios"]))
    return sum(float(op["iops"]) for op in ops), micros(busier["p50"]), micros(busier["p99"])


def fio(text):
    """The same of fio's JSON."""
    job = json.loads(text[text.index("{"):])["jobs"][0]
    ops = [job["read"], job["write"]]
    busier = max(ops, key=lambda op: op["total_ios"])
    at = busier["lat_ns"]["percentile"]
    return sum(op["iops"] for op in ops), at["50.000000"] / 1e3, at["99.000000"] / 1e3


def interval(ratios):
    """Mean and 95 % interval of ratios, by their logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), 0.0, math.inf
    deviation = math.sqrt(sum((log - mean) ** 2 for log in logs) / (len(logs) - 1))
    half = STUDENT[min(len(logs) - 2, len(STUDENT) - 1)] * deviation / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def compare(lines):
    """A row a job; the exit code says whether all agree."""
    jobs = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        name, number, tool, figures = line.rstrip("\n").split("\t")
        jobs[name][number][tool] = [float(figure) for figure in figures.split()]
    print(f"{'job':20} {'fio':>8} {'ioalign':>8}  " + "  ".join(f"{m:>22}" for m in METRICS))
    apart = 0
    for name, rounds in jobs.items():
        cells = []
        for index in range(len(METRICS)):
            ratio, low, high = interval([r["ours"][index] / r["peer"][index] for r in rounds.values()])
            agrees = low <= 1 + CLASSES and high >= 1 - CLASSES
            apart += not agrees
            cells.append(f"{ratio:.3f} [{low:.3f}, {high:.3f}]{' ' if agrees else '!'}")
        middle = [sorted(r[tool][0] for r in rounds.values())[len(rounds) // 2] for tool in ("peer", "ours")]
        print(f"{name:20} {middle[0]:8.0f} {middle[1]:8.0f}  " + "  ".join(f"{cell:>22}" for cell in cells))
    print(f"ratios ioalign : fio; {apart} of {len(jobs) * len(METRICS)} do not agree (!)")


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        compare(sys.stdin)
    else:
        print(*({"ours": ours, "fio": fio}[sys.argv[1]])(sys.stdin.read()))

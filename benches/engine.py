"""Runs load generators by turns; called by engine.sh.

Processor time is user + system of the whole process, by wait4; of fio only that of its job, as fio itself
counts it, because it spends some 30 ms before. I/Os are counted by the kernel, in the device's stat.
"""

import json
import os
import random
import statistics
import subprocess
import sys

device, load, minimal, t_io_uring, rounds, millis, depths, workers = sys.argv[1:]
rounds, millis = int(rounds), int(millis)
CPU, IOPS = 0, 1


def completed():
    with open(f"/sys/block/{os.path.basename(device)}/stat") as stat:
        return int(stat.read().split()[0])


def once(command):
    """µs of processor time an I/O, and I/Os a second."""
    before = completed()
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 124):
        sys.exit(f"failed: {' '.join(command)}")
    ios = completed() - before
    micros = (usage.ru_utime + usage.ru_stime) * 1e6
    if command[0] == "fio":
        job = json.loads(output)["jobs"][0]
        read = job["read"]
        share = (job["usr_cpu"] + job["sys_cpu"]) / 100
        return share * read["runtime"] * 1000 / read["total_ios"], read["iops"]
    return micros / ios, ios / millis * 1000


def fio(depth, batch=1, wait=1):
    words = {
        "name": "x", "filename": device, "rw": "randread", "bs": "4k", "direct": 1,
        "ioengine": "io_uring", "fixedbufs": 1, "registerfiles": 1, "iodepth": depth,
        "runtime": f"{millis}ms", "time_based": 1, "norandommap": 1, "randrepeat": 0,
        "output-format": "json", "iodepth_batch": batch, "iodepth_batch_complete_max": batch,
        "iodepth_batch_complete_min": wait,
    }
    return ["fio"] + [f"--{name}={value}" for name, value in words.items()]


def ours(depth, *more):
    return [load, device, f"depth={depth}", "ramp=0", f"ms={millis}", *more]


def bound(depth, batch, *more):
    return [minimal, device, str(depth), str(batch), str(millis), *more]


def theirs(depth, batch):
    flags = [f"-d{depth}", f"-s{batch}", f"-c{batch}", "-b4096", "-p0", "-B1", "-F1", device]
    return ["timeout", "-s", "INT", str(millis / 1000), t_io_uring, *flags]


def by_turns(commands):
    results = {name: [] for name in commands}
    for _ in range(rounds):
        for name in random.sample(list(commands), len(commands)):
            results[name].append(once(commands[name]))
    for name, runs in results.items():
        cpu, iops = (statistics.median(column) for column in zip(*runs))
        print(f"  {name:<34} {cpu:7.3f} us an I/O  {iops:9.0f} IOPS", flush=True)
    return results


def ratio(results, one, other, *which):
    """Median and quartiles of the ratios within rounds."""
    for column in which:
        ratios = [a[column] / b[column] for a, b in zip(results[one], results[other])]
        low, middle, high = statistics.quantiles(ratios, n=4)
        what = ("processor time", "IOPS")[column]
        print(f"  {what}, {one} / {other}: {middle:.3f} ({low:.3f} to {high:.3f})", flush=True)


def at_depth(depth):
    """Everything at one queue depth: defaults, the same policy on both sides, and the bound."""
    usual = max(1, min(8, depth // 2))  # Workload::usual_batch
    half = max(1, min(32, depth // 2))
    least = f"minimal by {usual}"
    commands = {"fio": fio(depth), "engine": ours(depth), least: bound(depth, usual)}
    if depth == 1:
        commands |= {"engine, pread": ours(1, "api=sync"), "minimal, pread": bound(1, 1, "pread")}
    else:
        commands |= {f"fio by {usual}": fio(depth, usual), "engine by 1": ours(depth, "batch=1")}
    if t_io_uring:
        commands[f"t/io_uring by {half}"] = theirs(depth, half)
        if half > 1:
            commands[f"engine by {half}"] = ours(depth, f"wait={half}")
    results = by_turns(commands)
    ratio(results, "engine", "fio", CPU, IOPS)
    ratio(results, "engine", least, CPU, IOPS)
    ratio(results, least, "fio", CPU)
    if depth == 1:
        ratio(results, "minimal, pread", "fio", CPU)
    else:
        ratio(results, "engine", f"fio by {usual}", CPU, IOPS)
        ratio(results, "engine by 1", "fio", CPU, IOPS)
    if t_io_uring:
        engine = f"engine by {half}" if half > 1 else "engine"
        ratio(results, engine, f"t/io_uring by {half}", CPU, IOPS)
        ratio(results, f"t/io_uring by {half}", "fio", CPU)


for depth in map(int, depths.split()):
    print(f"queue depth {depth}")
    at_depth(depth)

counts = workers.split()
if counts:
    print("workers, queue depth 4 each")
    results = by_turns({f"{count} workers": ours(4, f"workers={count}") for count in counts})
    for count in counts[1:]:
        ratio(results, f"{count} workers", f"{counts[0]} workers", CPU)

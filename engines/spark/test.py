"""Runs `ioalign trace summarize --engine spark` on a cluster of this machine, and compares with the embedded run.

See test.sh. Nothing is simulated: a standalone master and two workers are started on the loopback interface.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

IOALIGN = os.environ["IOALIGN"]
KINDS = ("msr", "blktrace", "csv")
ENDINGS = {"msr": "csv", "blktrace": "bin", "csv": "csv"}
LOOPBACK = "127.0.0.1"


def ioalign(*args, codes=(0,), quiet=True):
    """Standard output of a command that ends with one of these codes, and its standard error."""
    done = subprocess.run([IOALIGN, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode()
    assert done.returncode in codes, (args[:6], done.returncode, said[-2000:])
    if not quiet:
        sys.stderr.write(said)
    return done.stdout.decode(), said


def free_port():
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        return one.getsockname()[1]


class Cluster:
    """A master and two workers, each in a process group of its own."""

    def __init__(self, folder):
        self.folder, self.groups, self.port = folder, [], free_port()
        self.url = f"spark://{LOOPBACK}:{self.port}"

    def start(self, name, *args):
        env = {**os.environ, "SPARK_LOCAL_IP": LOOPBACK, "PYSPARK_PYTHON": sys.executable}
        log = open(os.path.join(self.folder, f"{name}.log"), "wb")
        child = subprocess.Popen(["spark-class", *args], env=env, stdout=log, stderr=log, start_new_session=True)
        self.groups.append(child)
        return child

    def log(self, name):
        with open(os.path.join(self.folder, f"{name}.log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def __enter__(self):
        package = "org.apache.spark.deploy"
        self.start("master", f"{package}.master.Master", "--host", LOOPBACK, "--port", str(self.port), "--webui-port", "0")
        self.workers = [self.worker(number) for number in range(2)]
        until = time.monotonic() + 60
        while self.log("master").count("Registering worker") < 2:
            assert time.monotonic() < until, self.log("master")
            time.sleep(0.2)
        return self

    def worker(self, number):
        work = os.path.join(self.folder, f"work-{number}")
        args = ["--host", LOOPBACK, "--webui-port", "0", "-c", "1", "-m", "1g", "--work-dir", work, self.url]
        return self.start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", *args)

    def __exit__(self, *_):
        for child in self.groups:
            end(child)


def end(child):
    """Ends a process with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def make_traces(folder, count, ios):
    """Trace files of three formats; those of a kind have devices and times in common."""
    files = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        path = os.path.join(folder, f"{number:03}.{kind}.{ENDINGS[kind]}")
        devices = [] if kind == "csv" else ["--devices", "2"]
        bursts = ["--bursts", "200ms/700ms"] if number % 2 else []
        words = ["--format", kind, "--ios", str(ios), "--seed", str(number), "--misaligned", "17%", "--iops", "3000"]
        ioalign("trace", "generate", "-o", path, *words, *devices, *bursts)
        files.append(path)
    return files


def values(profile):
    """All values but those that the profile itself names as not exact."""
    named = {one["value"] for one in profile["inexact"]} if "inexact" in profile else set()
    return named, {**profile, "source": "", "inexact": []}


def without(profile, named):
    for device in profile["devices"]:
        device.pop("part", None)
        for path in named:
            first, _, rest = path.partition(".")
            if not rest:
                device.pop(first, None)
                continue
            held = device.get(first)
            held = list(held.values()) if first == "by_op" else held if isinstance(held, list) else [held]
            for one in held:
                if one:
                    one.pop(rest, None)
    return profile


def differ(at, found, wanted):
    """Fails at the first value that is another."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), (at, found.keys() ^ wanted.keys())
        for key, value in found.items():
            differ(f"{at}.{key}", value, wanted[key])
    elif isinstance(found, list) and isinstance(wanted, list):
        assert len(found) == len(wanted), (at, len(found), len(wanted))
        for number, (a, b) in enumerate(zip(found, wanted)):
            differ(f"{at}[{number}]", a, b)
    else:
        assert found == wanted, (at, found, wanted)


def count_values(value):
    if isinstance(value, (dict, list)):
        return sum(map(count_values, value.values() if isinstance(value, dict) else value))
    return 1


def same(spark, embedded, unread):
    named, spark = values(json.loads(spark))
    _, embedded = values(json.loads(embedded))
    left = [file for file in spark["files"] if file["format"] == "unknown"]
    assert [file["path"] for file in left] == unread, left
    spark["files"] = [file for file in spark["files"] if file["format"] != "unknown"]
    spark, embedded = without(spark, named), without(embedded, named)
    differ("profile", spark, embedded)
    print(f"  {spark['events']} I/Os, {count_values(spark)} values equal; named as inexact: {', '.join(sorted(named))}")


def on_cluster(url, files, *more, codes=(0,)):
    args = ["trace", "summarize", "--json", "--engine", "spark", "--master", url, "--split-bytes", "20k"]
    return ioalign(*args, *more, *files, codes=codes)


def finished_tasks(port):
    """Tasks that are done, and all of the stages known so far."""
    base = f"http://{LOOPBACK}:{port}/api/v1/applications"
    try:
        with urllib.request.urlopen(base, timeout=2) as answer:
            apps = json.load(answer)
        with urllib.request.urlopen(f"{base}/{apps[0]['id']}/stages", timeout=2) as answer:
            stages = json.load(answer)
    except (OSError, ValueError, IndexError):
        return 0, 0
    first = [stage for stage in stages if stage["stageId"] == 0]
    return sum(one["numCompleteTasks"] for one in first), sum(one["numTasks"] for one in first)


def test_cluster(folder):
    files = make_traces(folder, 200, 600)
    damaged = os.path.join(folder, "damaged.bin")
    with open(damaged, "wb") as out:
        out.write(bytes(range(256)) * 40)
    embedded, _ = ioalign("trace", "summarize", "--json", "--mergeable", *files)
    with Cluster(folder) as cluster:
        print("200 files of three formats, two workers")
        spark, _ = on_cluster(cluster.url, files)
        same(spark, embedded, [])
        print("the same with a damaged file among them")
        spark, said = on_cluster(cluster.url, [*files[:100], damaged, *files[100:]], codes=(65,))
        assert f"{damaged}: not read" in said, said[-500:]
        same(spark, embedded, [damaged])
        print("the same read through Spark, as from hdfs:// and s3a://")
        some = [file for file in files if ".msr." in file][:10]
        embedded_some, _ = ioalign("trace", "summarize", "--json", "--mergeable", *some)
        mount = ["--spark-conf", f"spark.hadoop.fs.viewfs.mounttable.t.link./data=file://{folder}"]
        spark, _ = on_cluster(cluster.url, [file.replace(folder, "viewfs://t/data") for file in some], *mount)
        same(spark.replace("viewfs://t/data", folder), embedded_some, [])


def test_killed(folder):
    files = make_traces(folder, 200, 600)
    embedded, _ = ioalign("trace", "summarize", "--json", "--mergeable", *files)
    with Cluster(folder) as cluster:
        port = free_port()
        args = ["trace", "summarize", "--json", "--engine", "spark", "--master", cluster.url, "--split-bytes", "20k"]
        job = subprocess.Popen([IOALIGN, *args, "--spark-conf", f"spark.ui.port={port}", *files], stdout=subprocess.PIPE)
        done = all_tasks = 0
        while done < 40:
            assert job.poll() is None, "the job ended before the worker was killed"
            time.sleep(0.05)
            done, all_tasks = finished_tasks(port)
        end(cluster.workers[0])
        spark = job.communicate()[0].decode()
        print(f"a worker killed after {done} of {all_tasks} pieces")
        assert done < all_tasks - 20 and job.returncode == 0, (done, all_tasks, job.returncode)
        same(spark, embedded, [])


def statements(text):
    return [one for one in text.split(";\n") if one.strip()]


def expected(profile, tables):
    """What the four statements give, from the profile of the embedded run."""
    operations, sizes, starts, grids = [], [], [], []
    for device in profile["devices"]:
        name = device["device"]
        for op, of in device["by_op"].items():
            known = of["latency_us"]
            sums = (known["ios"], round(known["mean"] * 1000 * known["ios"]), round(known["max"] * 1000)) if known else (0, None, None)
            operations.append((name, op, of["ios"], of["bytes"], *sums))
            if op not in ("read", "write", "discard"):
                continue
            sizes += [(name, op, one["bytes"], one["ios"], one["off_4096_ios"]) for one in of["size_histogram"]]
            starts.append((name, op, of["start_pow2_histogram"], of["start_mod_4096"]))
        for grid in device["grids"]:
            keys = ("pieces", "start_off_grid", "length_not_multiple", "straddling", "cells_touched", "cells_minimum")
            grids.append((grid["size_bytes"], name, grid["op"], *(grid[key] for key in keys)))
    found_starts = {}
    for name, op, power, sector, ios in tables[2]:
        powers, sectors = found_starts.setdefault((name, op), ([0] * 64, [0] * 8))
        powers[power] += ios
        sectors[sector] += ios
    assert sorted(tables[0]) == sorted(operations), (tables[0], operations)
    assert sorted(tables[1]) == sorted(sizes)
    assert sorted((*key, *value) for key, value in found_starts.items()) == sorted(starts)
    found = [(size, *row) for size, table in zip((4096, 196608), tables[3:]) for row in table]
    assert sorted(found) == sorted(grids), (found, grids)
    return sum(map(len, tables))


def test_sql(folder):
    import duckdb
    from pyspark.sql import SparkSession

    path = os.path.join(folder, "trace.parquet")
    words = ["--ios", "50000", "--devices", "3", "--misaligned", "17%", "--discards", "5%", "--flushes", "2%"]
    ioalign("trace", "generate", "-o", path, "--format", "parquet", "--sizes", "512:5,4k:50,8k:30,64k:20", *words)
    grids = ["--grid", "4k", "--grid", "192KiB@64KiB"]
    profile = json.loads(ioalign("trace", "summarize", "--json", "--grid", "192KiB@64KiB", path)[0])
    spark = SparkSession.builder.master("local[1]").config("spark.log.level", "ERROR").getOrCreate()
    engines = {
        "duckdb": lambda sql: duckdb.sql(sql).fetchall(),
        "spark": lambda sql: [tuple(row) for row in spark.sql(sql).collect()],
    }
    for dialect, run in engines.items():
        text, _ = ioalign("trace", "sql", "--dialect", dialect, path, *grids)
        rows = expected(profile, [run(one) for one in statements(text)])
        print(f"sql, {dialect}: {rows} rows equal to the embedded run")
    spark.stop()


def test_scale(folder):
    """Rows a second of both, for docs/scale.md."""
    with Cluster(folder) as cluster:
        for count, ios in ((1, 10_000), (8, 500_000)):
            files = []
            for number in range(count):
                files.append(os.path.join(folder, f"{count}-{number}.csv"))
                ioalign("trace", "generate", "-o", files[-1], "--format", "msr", "--ios", str(ios), "--seed", str(number))
            size = sum(map(os.path.getsize, files))
            args = ["trace", "summarize", "--json", *files]
            runs = {
                "embedded": lambda: ioalign(*args),
                "embedded --mergeable": lambda: ioalign(*args, "--mergeable"),
                "spark": lambda: ioalign(*args, "--engine", "spark", "--master", cluster.url, "--split-bytes", "64M"),
            }
            for name, run in runs.items():
                took = []
                for _ in range(2):
                    begun = time.monotonic()
                    run()
                    took.append(time.monotonic() - begun)
                rate = count * ios / min(took)
                print(f"{count} x {ios} rows, {size / 1e6:.0f} MB, {name}: {min(took):.2f} s, {rate / 1e6:.2f} M rows/s", flush=True)
            for file in files:
                os.remove(file)


def main():
    tests = {"cluster": test_cluster, "killed": test_killed, "sql": test_sql, "scale": test_scale}
    for name in sys.argv[1:] or ("cluster", "killed", "sql"):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            tests[name](folder)
            print(f"{name}: ok, {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()

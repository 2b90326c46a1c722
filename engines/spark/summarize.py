"""`ioalign trace summarize --engine spark`: the job that it submits.

Spark distributes a list of pieces: whole trace files, the per-CPU files of one blktrace together, and byte ranges of
large text traces. Each executor runs the shipped `ioalign` on its piece and returns the profile as JSON. Profiles are
reduced in a tree by `ioalign trace merge`. A file that cannot be read is named in `files` and left out.
"""

import argparse
import functools
import json
import os
import re
import stat
import subprocess
import sys
import tempfile

from pyspark import SparkConf, SparkContext, SparkFiles

# Formats whose every line stands for itself, without a heading and with its device: split at line ends.
SPLITTABLE = ("alibaba", "msr")
CPU_FILE = re.compile(r"^(.*\.blktrace)\.\d+$")
BLOCK = 1 << 20
SHOWN_ROWS = 5


def scheme_of(name):
    """The scheme of a URI, and its path where that is of this machine."""
    scheme, colon, rest = name.partition("://")
    if not colon:
        return "file", os.path.abspath(name)
    return scheme, ("/" + rest.lstrip("/") if scheme == "file" else name)


def format_of(kernel, args, path):
    """The format of a text trace, by its beginning; None where it is packed or not known."""
    with open(path, "rb") as file:
        head = file.read(65536)
    cut = head.rfind(b"\n") + 1
    command = [kernel, "trace", "summarize", "--json", "--quiet", *args, "-"]
    done = subprocess.run(command, input=head[:cut], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        return None
    file = json.loads(done.stdout)["files"][0]
    return None if file["compression"] else file["format"]


def pieces_of(kernel, args, paths, most):
    """What the executors get: whole files, groups of per-CPU files, and ranges of large ones."""
    groups = {}
    for path in paths:
        cpu = CPU_FILE.match(path)
        groups.setdefault(cpu.group(1) if cpu else path, []).append(path)
    for group in groups.values():
        size = os.path.getsize(group[0]) if len(group) == 1 and os.path.isfile(group[0]) else 0
        kind = format_of(kernel, args, group[0]) if size > most else None
        if kind not in SPLITTABLE:
            yield {"paths": group, "range": None, "format": None}
            continue
        for start in range(0, size, most):
            yield {"paths": group, "range": (start, min(start + most, size)), "format": kind}


def line_end(file, offset):
    """Where the line ends that the byte before `offset` is in."""
    if offset == 0:
        return 0
    file.seek(offset - 1)
    file.readline()
    return file.tell()


def run_kernel(kernel, args, paths, data=None):
    """One profile: the answer, and the last line of what went wrong."""
    command = [kernel, "trace", "summarize", "--json", "--quiet", "--mergeable", "--jobs", "1", *args, "--", *paths]
    with tempfile.TemporaryFile() as said:
        pipe = subprocess.DEVNULL if data is None else subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=subprocess.PIPE, stderr=said) as child:
            if data is not None:
                try:
                    for block in data:
                        child.stdin.write(block)
                    child.stdin.close()
                except BrokenPipeError:
                    pass
            answer = child.stdout.read()
        said.seek(0)
        lines = said.read().decode(errors="replace").strip().splitlines()
    if child.returncode == 0:
        return json.loads(answer), None
    if child.returncode not in (64, 65):
        raise RuntimeError(f"{' '.join(paths)}: the kernel ended with {child.returncode}: {lines[-1:]}")
    return None, (lines[-1] if lines else "unreadable").removeprefix("ioalign: ")


def unread(path, why):
    """The entry of a file that could not be read."""
    words = ("compression", "time_unit", "offset_unit", "length_unit", "op_codes", "latency_source")
    numbers = {"skipped_rows": 0, "other_rows": 0, "dropped": 0, "skipped_first": []}
    named = dict.fromkeys(words, "unknown") | {"compression": None}
    return {"path": path, "format": "unknown", **named, **numbers, "cut_off": f"not read: {why}"}


def summarize(args, piece):
    """The profile of a piece: its JSON, and its files with where they begin and how many lines they have."""
    kernel = kernel_path()
    paths, lines = piece["paths"], 0
    if piece["range"] is None:
        profile, why = run_kernel(kernel, args, paths)
    else:
        with open(paths[0], "rb") as file:
            start, end = (line_end(file, offset) for offset in piece["range"])
            if start >= end:
                return None, []
            file.seek(start)

            def blocks():
                nonlocal lines
                left = end - start
                while left > 0:
                    block = file.read(min(BLOCK, left))
                    if not block:
                        return
                    left -= len(block)
                    lines += block.count(b"\n")
                    yield block

            known = [] if "--as" in args else ["--as", piece["format"]]
            profile, why = run_kernel(kernel, [*args, *known], ["-"], blocks())
            if profile:
                profile["files"][0]["path"] = paths[0]
    start = piece["range"][0] if piece["range"] else 0
    if profile is None:
        return None, [(start, lines, unread(path, why)) for path in paths]
    files = [(start, lines, file) for file in profile["files"]]
    return json.dumps(profile), files


def summarize_bytes(args, named):
    """The same for a file that Spark has read: it gets its name in a folder of its own."""
    uri, data = named
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(uri))
        with open(path, "wb") as file:
            file.write(data)
        profile, files = summarize(args, {"paths": [path], "range": None, "format": None})
    if profile:
        profile = json.loads(profile)
        profile["files"][0]["path"] = uri
        profile = json.dumps(profile)
    return profile, [(start, lines, {**file, "path": uri}) for start, lines, file in files]


def kernel_path():
    """The shipped kernel."""
    path = SparkFiles.get("ioalign")
    if not os.access(path, os.X_OK):
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def merge(kernel, options, profiles):
    """The profiles of several pieces as one."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, profile in enumerate(profiles):
            names.append(os.path.join(folder, f"{number}.json"))
            with open(names[-1], "w", encoding="utf-8") as file:
                file.write(profile)
        done = subprocess.run([kernel, "trace", "merge", "--json", *options, *names], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def reduce_two(a, b):
    """A step of the tree."""
    profiles = [one for one in (a[0], b[0]) if one]
    if len(profiles) == 2:
        profiles = [merge(kernel_path(), ["--mergeable"], profiles)]
    return (profiles[0] if profiles else None), a[1] + b[1]


def joined(files, order):
    """One entry a file, in the order given; lines of later pieces are counted from the file's beginning."""
    out = {}
    for start, lines, file in sorted(files, key=lambda one: (order(one[2]["path"]), one[0])):
        known = out.get(file["path"])
        if known is None:
            out[file["path"]] = [lines, file]
            continue
        before, whole = known
        for key in ("skipped_rows", "other_rows", "dropped"):
            whole[key] += file[key]
        for row in file["skipped_first"][: SHOWN_ROWS - len(whole["skipped_first"])]:
            whole["skipped_first"].append({**row, "place": row["place"] + before})
        whole["cut_off"] = whole["cut_off"] or file["cut_off"]
        spans = [one["span_ns"] for one in (whole, file) if one.get("span_ns")]
        if spans:
            whole["span_ns"] = [min(one[0] for one in spans), max(one[1] for one in spans)]
        known[0] += lines
    return [file for _, file in out.values()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernel", required=True, help="ioalign on this machine")
    parser.add_argument("--out", required=True)
    parser.add_argument("--split-bytes", type=int, default=256 << 20)
    parser.add_argument("--mergeable", action="store_true")
    parser.add_argument("--args", default="[]", help="arguments of the kernel, a JSON list")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    args = json.loads(options.args)
    named = [scheme_of(name) for name in options.files]
    local = [path for scheme, path in named if scheme == "file"]
    remote = [path for scheme, path in named if scheme != "file"]

    context = SparkContext(conf=SparkConf().setAppName("ioalign trace summarize"))
    parts = []
    pieces = list(pieces_of(options.kernel, args, local, options.split_bytes))
    if pieces:
        spread = context.parallelize(pieces, min(len(pieces), 4096))
        parts.append(spread.map(functools.partial(summarize, args)))
    if remote:
        parts.append(context.binaryFiles(",".join(remote)).map(functools.partial(summarize_bytes, args)))
    profile, files = context.union(parts).treeReduce(reduce_two, depth=2)
    context.stop()

    places = {path: place for place, (_, path) in enumerate(named)}
    files = joined(files, lambda path: (places.get(path, len(places)), path))
    if profile is None:
        for file in files:
            print(f"{file['path']}: {file['cut_off']}", file=sys.stderr)
        sys.exit(65)
    profile = {**json.loads(profile), "files": files}
    keep = ["--mergeable"] if options.mergeable else []
    with open(options.out, "w", encoding="utf-8") as out:
        out.write(merge(options.kernel, keep, [json.dumps(profile)]))


if __name__ == "__main__":
    main()

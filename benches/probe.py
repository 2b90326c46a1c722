"""The campaign of probe.sh: serves devices of known geometry, probes them, counts the answers."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

IOALIGN, SERVED, SCRATCH = sys.argv[1], sys.argv[2], Path(sys.argv[3])
SERVER = os.environ.get("SERVER", IOALIGN)
PARTS = sys.argv[4:] or ["arrays", "btrfs", "none", "writes"]
COUNT = int(os.environ.get("COUNT", "120"))
FROM = int(os.environ.get("FROM", "0"))
SERVICE = os.environ.get("SERVICE", "2ms")
TIME = os.environ.get("TIME", "90s")
failed = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def retried(*command):
    """What waits for a ring to be torn down."""
    for _ in range(100):
        if subprocess.run(command, capture_output=True).returncode == 0:
            return
        time.sleep(0.1)
    print("left behind:", *command)


@contextmanager
def array(text, start=0, size="1G"):
    """A served array: the description of its file, and its block device."""
    file = SCRATCH / "array.toml"
    file.write_text(text)
    command = [SERVER, "simulate", "serve", file, "--start", str(start), "--size", size, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(process.stdout.readline())["device"]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextmanager
def law(*arguments):
    """A file that is served by a law of the test kit."""
    folder = SCRATCH / "law"
    folder.mkdir(exist_ok=True)
    process = subprocess.Popen([SERVED, folder, *arguments])
    disk = mounted_file(folder)
    try:
        yield str(disk)
    finally:
        retried("umount", disk)
        process.wait()


def mounted_file(folder):
    """The file of `served`, once it is mounted."""
    disk = folder / "disk"
    while not os.path.ismount(disk):
        time.sleep(0.05)
    return disk


@contextmanager
def loop(file, *arguments):
    device = run("losetup", "--find", "--show", *arguments, str(file))
    try:
        yield device
    finally:
        retried("losetup", "--detach", device)


@contextmanager
def mounted(*arguments):
    folder = SCRATCH / "mount"
    folder.mkdir(exist_ok=True)
    run("mount", *arguments, str(folder))
    try:
        yield folder
    finally:
        retried("umount", folder)


@contextmanager
def load(device, rate):
    """Random reads of another program."""
    command = [IOALIGN, "measure", "run", device, "--rate", str(rate), "--depth", "2", "--time", "10min", "-q"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def probe(target, seed, *arguments):
    command = [IOALIGN, "probe", target, "--json", "--quiet", "--time", TIME, "--seed", str(seed), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{command}: {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def filled(path, mib, mode="wb"):
    with open(path, mode) as file:
        for _ in range(mib):
            file.write(os.urandom(1 << 20))
        os.fsync(file.fileno())
    return path


class Tally:
    """Answers of one part."""

    def __init__(self, name):
        self.name, self.exact, self.wrong, self.none = name, 0, 0, 0

    def add(self, case, expected, found):
        answer = None
        if found["found"]:
            answer = (found["unit_bytes"], found["phase_bytes"], found["columns"])
        if answer == expected:
            word, self.exact = "exact", self.exact + 1
        elif answer is None:
            word, self.none = "none", self.none + 1
        else:
            word, self.wrong = "WRONG", self.wrong + 1
        seconds = found["duration_us"] / 1e6
        notes = "; ".join(found["notes"]) if word != "exact" else ""
        print(f"{self.name}: {word} {case}: {answer} {seconds:.1f} s {found['reads']} reads {notes}", flush=True)

    def end(self, least):
        count = self.exact + self.wrong + self.none
        print(f"{self.name}: {count} cases, {self.exact} exact, {self.wrong} wrong, {self.none} none", flush=True)
        if self.exact < least * count or self.wrong > count / 100:
            failed.append(self.name)


def case(number):
    """The description of an array by its number, and what is to be found."""
    chance = random.Random(number)
    level = ["raid0", "raid10", "raid5", "raid6"][number % 4]
    disks = {
        "raid0": chance.randint(2, 12),
        "raid10": 2 * chance.randint(2, 6),
        "raid5": chance.randint(3, 12),
        "raid6": chance.randint(4, 12),
    }[level]
    kib = chance.choice([8, 16, 32, 64, 128, 256, 512, 1024, 12, 24, 48, 96, 192, 384, 768])
    unit = kib << 10
    phase = chance.choice([0, 512, 1536, 32256, 4096, 61440, 512 * chance.randrange(unit // 512)]) % unit
    noise = chance.choice(["even", "jitter", "load"])
    text = f'level = "{level}"\ndisks = {disks}\nelement = "{kib}k"\ndisk_size = "2G"\n'
    if noise == "jitter":
        # Seek and rotation: 0.6 to 3 ms.
        text += '[hdd]\nleast_seek = "300us"\nfull_seek = "1500us"\nrpm = 50000\ntrack = "1M"\nfixed = "300us"\n'
    else:
        text += f'service = "{SERVICE}"\n'
    columns = disks // 2 if level == "raid10" else disks
    words = f"{level} {disks} x {kib}k phase {phase} {noise}"
    return words, text, (unit - phase) % unit, noise, (unit, phase, columns)


def arrays():
    tally = Tally("arrays")
    for number in range(FROM, FROM + COUNT):
        words, text, start, noise, expected = case(number)
        with ExitStack() as stack:
            device = stack.enter_context(array(text, start))
            if noise == "load":
                stack.enter_context(load(device, 150))
            tally.add(f"{number} {words}", expected, probe(device, number))
    tally.end(0.95)


def btrfs():
    """RAID 0 of the kernel in units of 64 KiB: the truth is not ours."""
    tally = Tally("btrfs")
    for number in range(6):
        disks = 2 + number % 3
        with ExitStack() as stack:
            devices = []
            for disk in range(disks):
                folder = SCRATCH / f"disk{disk}"
                folder.mkdir(exist_ok=True)
                process = subprocess.Popen([SERVED, folder, "size=4294967296", "unit=4096", "servers=1", "read=1500",
                                            "write=50", "kib=0", "partial=0"])
                stack.callback(process.wait)
                file = mounted_file(folder)
                stack.callback(retried, "umount", file)
                devices.append(stack.enter_context(loop(file, "--direct-io=on")))
            run("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid0", *devices)
            for device in devices:
                run("btrfs", "device", "scan", device)
            folder = stack.enter_context(mounted("-o", "nodatasum,nodatacow", devices[0]))
            # In one block group (a tenth of the disks), so that the phase of the file is that of the stripes.
            file = folder / "file"
            run("fallocate", "-l", "512M", str(file))
            filled(file, 512, "r+b")
            os.sync()
            tally.add(f"{number} {disks} disks", (65536, 0, disks), probe(str(file), number))
    tally.end(1.0)


def none():
    tally = Tally("none")
    for number in range(15):
        with mounted("-t", "tmpfs", "-o", "size=300M", "none") as folder:
            with loop(filled(folder / "file", 256)) as device:
                tally.add(f"tmpfs loop {number}", None, probe(device, number))
    file = filled(SCRATCH / "file", 512)
    for number in range(15):
        tally.add(f"file {number}", None, probe(str(file), number))
    for number in range(15):
        service = ["1ms", "2ms", "300us"][number % 3]
        with array(f'level = "single"\nservice = "{service}"\ndisk_size = "2G"\n') as device:
            tally.add(f"single {service} {number}", None, probe(device, number))
    for number in range(5):
        with law("unit=4096", "servers=8", "read=500", "kib=0") as file:
            tally.add(f"eight servers {number}", None, probe(file, number))
    for number in range(10):
        permuted(tally, number)
    tally.end(1.0)


def permuted(tally, number):
    """A file whose pieces lie in random order on a striped array: what a thin pool or a log makes of it."""
    piece = [64 << 10, 256 << 10][number % 2]
    text = 'level = "raid0"\ndisks = 4\nelement = "64k"\ndisk_size = "2G"\nservice = "300us"\n'
    with array(text) as device:
        run("mkfs.btrfs", "-q", "-f", "-d", "single", device)
        with mounted("-o", "nodatasum", device) as folder:
            places = list(range(0, 128 << 20, piece))
            random.Random(number).shuffle(places)
            with open(folder / "file", "wb", buffering=0) as file:
                for count, place in enumerate(places):
                    # Pieces of odd length between them, so that the order is lost in the phase too.
                    os.pwrite(file.fileno(), os.urandom(piece), place)
                    os.fdatasync(file.fileno())
                    if count % 3 == 0:
                        with open(folder / f"other{count}", "wb", buffering=0) as other:
                            other.write(os.urandom(4096 * random.Random(count).randint(1, 15)))
                            os.fsync(other.fileno())
            os.sync()
            tally.add(f"permuted {piece >> 10}k {number}", None, probe(str(folder / "file"), number))


def writes():
    tally = Tally("writes")
    for kib in [4, 8, 16, 32, 64]:
        for number in range(2):
            with law(f"unit={kib << 10}", "servers=4", "read=400", "write=400", "kib=2", "partial=800") as file:
                found = probe(file, number, "--write", "--destroy-data", file)
                tally.add(f"unit {kib}k {number}", (kib << 10, 0, 1), found)
    for number in range(4):
        with law("unit=4096", "servers=4", "read=400", "write=400", "kib=2", "partial=0") as file:
            tally.add(f"no unit {number}", None, probe(file, number, "--write", "--destroy-data", file))
    for offset in [32256, 512, 0]:
        with loop(filled(SCRATCH / "back", 512), "--offset", str(offset)) as device:
            found = probe(device, 1, "--write", "--destroy-data", device)
            phase = -offset % 4096
            tally.add(f"cold loop at {offset}", (4096, phase, 1), found)
    tally.end(1.0)


for part in PARTS:
    {"arrays": arrays, "btrfs": btrfs, "none": none, "writes": writes}[part]()
sys.exit(f"below the floor: {', '.join(failed)}" if failed else 0)

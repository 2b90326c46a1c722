"""The wheel against the program: IOALIGN names the program, TEXTS the folder of outputs of other programs."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import ioalign

PROGRAM = os.environ["IOALIGN"]
TEXTS = pathlib.Path(os.environ["TEXTS"])
#: Formats of `trace generate`, by their endings.
TRACES = ["csv", "blkparse", "bin", "parquet", "iolog"]


def said(*words):
    run = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    return json.loads(run.stdout)


def timeless(report):
    for timed in [*report["targets"], report["summary"]]:
        del timed["elapsed_us"]
    return report


def dos(path, start, sectors=131072):
    """A disk with one partition in its MBR."""
    entry = struct.pack("<B3sB3sII", 0, b"", 0x83, b"", start, sectors - start)
    path.write_bytes(bytes(446) + entry + bytes(48) + b"\x55\xaa")
    os.truncate(path, sectors * 512)
    return path


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = pathlib.Path(held.name)
        cls.images = cls.folder / "images"
        cls.images.mkdir()
        for start in (63, 2048, 2049):
            dos(cls.images / f"{start}.img", start)
        (cls.images / "notes.txt").write_text("nothing of interest\n")
        (cls.images / "short.qcow2").write_bytes(b"QFI\xfb\0\0\0\3")
        cls.traces = []
        for ending in TRACES:
            trace = cls.folder / f"trace.{ending}"
            words = ["trace", "generate", "--ios", "3000", "--misaligned", "20%", "-o", trace]
            subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True)
            cls.traces.append(trace)

    def test_version(self):
        version = subprocess.run([PROGRAM, "-V"], capture_output=True, text=True).stdout
        self.assertIn(ioalign.__version__, version)

    def test_images_and_folders(self):
        for path in [*sorted(self.images.glob("*.img")), self.images, str(self.images)]:
            with self.subTest(path=path):
                made = ioalign.check(path)
                self.assertEqual(made["schema"], "ioalign.check/1")
                expected = said("check", "--json", "--no-policy", path)
                self.assertEqual(timeless(made), timeless(expected))
        self.assertEqual(ioalign.check(self.images / "63.img")["targets"][0]["verdict"], "misaligned")

    def test_texts(self):
        texts = [path for path in sorted(TEXTS.iterdir()) if path.is_file()]
        judged = 0
        for path in texts:
            with self.subTest(path=path):
                expected = timeless(said("check", "--json", "--no-policy", path))
                try:
                    made = timeless(ioalign.check(path))
                except ioalign.UnreadableError:
                    self.assertTrue(expected["targets"][0]["error"])
                    continue
                judged += 1
                self.assertEqual(made, expected)
        self.assertGreater(judged, 20)

    def test_traces(self):
        for path in self.traces:
            with self.subTest(path=path):
                made = ioalign.profile(path)
                self.assertEqual(made["schema"], "ioalign.profile/1")
                self.assertEqual(made["events"], 3000)
                self.assertEqual(made, said("trace", "summarize", "--json", path))
        two = self.traces[:2]
        self.assertEqual(ioalign.profile(*two), said("trace", "summarize", "--json", *two))

    def test_described_columns(self):
        path = self.folder / "described.txt"
        path.write_text("".join(f"{n};W;{8 * n + 63};8\n" for n in range(200)))
        columns = "time=0,op=1,offset=2,len=3"
        options = ["--columns", columns, "--time-unit", "ms", "--offset-unit", "512"]
        made = ioalign.profile(path, columns=columns, time_unit="ms", offset_unit=512)
        self.assertEqual(made, said("trace", "summarize", "--json", path, *options))
        with self.assertRaises(ValueError):
            ioalign.profile(path, columns=columns)
        with self.assertRaises(ValueError):
            ioalign.profile(path, columns=columns, time_unit="weeks")

    def test_wrong_input_raises_one_line(self):
        wrong = [
            lambda: ioalign.check(self.folder / "absent.img"),
            lambda: ioalign.check("/dev/null"),
            lambda: ioalign.check(self.images / "short.qcow2"),
            lambda: ioalign.profile(self.folder / "absent.csv"),
            lambda: ioalign.profile(self.images / "63.img"),
            lambda: ioalign.profile(self.traces[0], format="no-such-format"),
        ]
        for number, call in enumerate(wrong):
            with self.subTest(number=number), self.assertRaises(ioalign.UnreadableError) as raised:
                call()
            message = str(raised.exception)
            self.assertTrue(message and "\n" not in message, message)
        path = self.folder / "absent.img"
        run = subprocess.run([PROGRAM, "check", path], capture_output=True, text=True)
        with self.assertRaises(ioalign.UnreadableError) as raised:
            ioalign.check(path)
        self.assertEqual(run.stderr, f"ioalign: {raised.exception}\n")
        with self.assertRaises(TypeError):
            ioalign.check(7)
        with self.assertRaises(ValueError):
            ioalign.profile()

    def test_nothing_is_printed(self):
        code = f"import ioalign; ioalign.check({str(self.images)!r}); ioalign.profile({str(self.traces[0])!r})"
        run = subprocess.run([os.sys.executable, "-I", "-c", code], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_other_threads_run_and_ctrl_c_ends_it(self):
        # What a shell starts in the background ignores an interrupt.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        ticks = []

        def tick():
            # The writer stays open: the reader waits until it is interrupted.
            with open(pipe, "wb", buffering=0) as out:
                out.write(self.traces[0].read_bytes())
                for _ in range(5):
                    time.sleep(0.1)
                    ticks.append(1)
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.5)

        thread = threading.Thread(target=tick)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            ioalign.profile(pipe)
        thread.join()
        self.assertEqual(len(ticks), 5)

    def test_tables(self):
        profile = ioalign.profile(self.traces[0])
        for table in ioalign.TABLES:
            with self.subTest(table=table):
                self.assertEqual(ioalign.profile_table(profile, table).num_rows > 0, True)
        [device] = profile["devices"]
        frame = ioalign.profile_table(self.traces[0]).to_pandas().set_index("op")
        self.assertEqual(frame.loc["write", "ios"], device["by_op"]["write"]["ios"])
        self.assertEqual(frame.loc["read", "latency_us_p99"], device["by_op"]["read"]["latency_us"]["p99"])
        sizes = ioalign.profile_table(profile, "sizes").to_pandas()
        self.assertEqual(sizes.ios.sum(), profile["events"])
        self.assertEqual((sizes.bytes * sizes.ios).sum(), frame.bytes.sum())
        with self.assertRaises(ValueError):
            ioalign.profile_table(profile, "no-such-table")


if __name__ == "__main__":
    unittest.main()

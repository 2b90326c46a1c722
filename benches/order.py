"""Makes a linker script of a list of functions: `order.py FUNCTIONS MEMBERS`, called by order.sh.

Hashes in names become wildcards, so that the script outlives a change of the compiler or of a dependency.
Of the C library whole members are named, because its functions are not in sections of their own.
"""

import re
import sys
from collections import defaultdict

HEAD = """\
/* Made by benches/order.sh: the functions that a check of one image runs, side by side.
   The release build gives it to the linker (.cargo/rustc). A pattern that matches nothing is harmless. */
SECTIONS
{
  .text.hot :
  {"""
TAIL = """\
  }
}
INSERT BEFORE .text;"""
# What a processor of another kind takes instead of what ran under valgrind; resolvers of libm.
MORE = [
    "dl-object.o",
    "dl-setup_hash.o",
    "pthread_mutex_lock.o",
    "pthread_mutex_unlock.o",
    "strcmp-avx2.o",
    "strcmp-evex.o",
    "strstr-avx512.o",
]
VARIANTS = ["avx2", "avx", "evex", "avx512"]


def pattern(name):
    """The section of a Rust function, whatever the hashes."""
    if name.startswith("_ZN"):
        return re.sub(r"17h[0-9a-f]{16}E.*$", "17h*", name)
    return re.sub(r"\.llvm\..*", "*", re.sub(r"Cs[0-9A-Za-z]*_", "Cs*_", name))


def variants(member, known):
    """The same function for other processors."""
    for old in VARIANTS:
        if f"-{old}-" in member or f"-{old}." in member:
            for new in VARIANTS:
                yield from {re.sub(rf"-{old}\b", f"-{new}", member)} & known
    yield member


def main():
    members = defaultdict(set)
    for line in open(sys.argv[2], encoding="ascii"):
        member, name = line.split()
        members[name].add(member)
    known = set().union(*members.values())
    names = open(sys.argv[1], encoding="ascii").read().splitlines()
    library = {member for name in names for member in members.get(name, ())}
    library = {v for member in library for v in variants(member, known)} | (set(MORE) & known)
    rust = {pattern(name) for name in names if name.startswith(("_ZN", "_R"))}
    print(HEAD)
    for member in sorted(library):
        print(f"    *libc.a:{member}(.text .text.*)")
    print("    *libm*.a:[es]_*.o(.text .text.*)")
    for name in sorted(rust):
        print(f"    *(.text.{name} .text.unlikely.{name})")
    print(TAIL)


main()

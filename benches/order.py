"""Makes a linker script of a list of functions: `order.py FUNCTIONS MEMBERS`, called by order.sh.

A function is listed once for every run that calls it: what all runs call comes first. Hashes in names become wildcards, so that the script outlives a change of the compiler or of a dependency.
Of the C library whole members are named, because its functions are not in sections of their own.
"""

import re
import sys
from collections import Counter, defaultdict

HEAD = """\
/* Made by benches/order.sh: the functions that a check of one image runs, side by side, and what they read.
   The release build gives it to the linker (.cargo/rustc). A pattern that matches nothing is harmless. */
"""
# Constants have no names that last: those that are small, or read by all, come before the large ones. They
# begin where the dynamic section and the relocations are, which the start reads anyway.
READ = """\
    *(.rodata.cst* .rodata.str1.1)
    *libc.a:libc-start.o(.rodata .rodata.*)
    *libc.a:varshift.o(.rodata .rodata.*)
    *libc.a:dl-load.o(.rodata .rodata.*)
    *(.rodata.*5grisu12CACHED_POW10 .rodata.*6dragon5POW10 .rodata.*14DECIMAL_PAIRS* .rodata.*13DECIMAL_PAIRS*)
    *(.rodata.*10WHITESPACE* .rodata.*13unicode_width6tables*)"""
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
    """The names of a Rust function, whatever the hashes and the numbers of copies."""
    if name.startswith("_ZN"):
        name = re.sub(r"17h[0-9a-f]{16}E.*$", "17h*", name)
    else:
        # Crates carry a hash, and what was named before is named by its place, which hashes move.
        name = re.sub(r"Cs[0-9A-Za-z]*_", "Cs*_", re.sub(r"\.(llvm\.)?[0-9]+$", "", name))
        name = re.sub(r"B[0-9a-zA-Z]*_", "B*_", name)
    return name


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
    runs = Counter(open(sys.argv[1], encoding="ascii").read().splitlines())
    library = {member for name in runs for member in members.get(name, ())}
    library = {v for member in library for v in variants(member, known)} | (set(MORE) & known)
    rust = Counter()
    for name, count in runs.items():
        if name.startswith(("_ZN", "_R")):
            name = pattern(name)
            rust[name] = max(rust[name], count)
    names = sorted(rust, key=lambda name: (-rust[name], name))
    print(HEAD)
    block(".rodata.hot", ".gcc_except_table", [READ, *(f"    *({tables(name)})" for name in names)])
    code = [f"    *libc.a:{member}(.text .text.*)" for member in sorted(library)]
    code.append("    *libm*.a:[es]_*.o(.text .text.*)")
    block(".text.hot", ".text", code + [f"    *({texts(name)})" for name in names])


def tables(name):
    """What a function branches by, and values that its `match` became."""
    name = name.removesuffix("*")
    return f".rodata.{name}* .rodata..Lswitch.table.{name}*"


def texts(name):
    """A function, also where its name was made one of many by the compiler."""
    copies = "" if name.endswith("*") else f" .text.{name}.*"
    return f".text.{name}{copies} .text.unlikely.{name}"


def block(section, before, lines):
    """An output section of its own."""
    print("SECTIONS", "{", f"  {section} :", "  {", *lines, "  }", "}", f"INSERT BEFORE {before};", sep="\n")


main()

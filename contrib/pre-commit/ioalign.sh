#!/bin/sh
# Judges the images that are about to be committed; an ioalign.toml in the repository's root says
# what fails and what is waived. pre-commit passes their names and fails on any code but 0.
program=${IOALIGN:-ioalign}
if ! command -v "$program" >/dev/null; then
    echo "ioalign is not installed: cargo install --locked --path crates/cli, or set IOALIGN" >&2
    exit 1
fi
exec "$program" check --no-color "$@"

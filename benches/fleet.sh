#!/bin/bash
# HOSTS (default 100000) made hosts in one SQLite store: reports stored a second, and the time of each question of a fleet
# (median and longest of ROUNDS, 5). Fails when a median is above LIMIT_MS (300).
# shellcheck source=benches/lib.sh
. "$(dirname "$0")/lib.sh"
load=$(tool fleet-load)
"$load" fill "sqlite:$scratch/fleet.db" "${HOSTS:-100000}"
du -h "$scratch/fleet.db"
"$load" ask "sqlite:$scratch/fleet.db" "${ROUNDS:-5}" | tee "$scratch/times"
awk -v limit="${LIMIT_MS:-300}" '{for (i = 2; i < NF; i++) if ($i == "ms," && $(i + 1) == "at" && $(i - 1) > limit) bad = 1} END {exit bad}' "$scratch/times"

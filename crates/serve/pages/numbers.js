// Numbers as every report of ioalign has them: counts and measures in three digits, sizes in binary units.
// The same as crates/core/src/numbers.rs; a test compares the two.

const BINARY = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

export function thousands(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function trimmed(value) {
  return String(Number(value.toFixed(2)));
}

// Three digits: 1.23, 12.3, 123, 1230.
export function three(value) {
  const v = Math.abs(value);
  if (v > 0 && v < 0.005) return String(Number(value.toPrecision(2)));
  if (v < 9.995) return trimmed(value);
  return v < 99.95 ? String(Number(value.toFixed(1))) : value.toFixed(0);
}

// A mean size: 5.33 KiB.
export function size(bytes) {
  if (bytes < 1024) return `${Math.floor(Math.max(bytes, 0))} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit + 1 < BINARY.length) {
    value /= 1024;
    unit += 1;
  }
  return `${three(value)} ${BINARY[unit]}`;
}

// A size that names a place: exact in the largest unit that divides it.
export function exact(bytes) {
  let unit = -1;
  let value = bytes;
  while (value !== 0 && value % 1024 === 0 && unit + 1 < BINARY.length) {
    value /= 1024;
    unit += 1;
  }
  return `${value} ${unit < 0 ? "B" : BINARY[unit]}`;
}

// Exact where that is short.
export function about(bytes) {
  const whole = exact(bytes);
  if (whole.indexOf(" ") <= 4) return whole;
  let value = bytes;
  let unit = -1;
  while (value >= 1024 && unit + 1 < BINARY.length) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${BINARY[unit]}`;
}

export const rate = (bytes) => `${size(bytes)}/s`;

export function time(us) {
  if (us <= 0) return "0 s";
  if (us < 1) return `${three(us * 1e3)} ns`;
  if (us < 999.5) return `${three(us)} µs`;
  if (us < 999500) return `${three(us / 1e3)} ms`;
  if (us < 600e6) return `${three(us / 1e6)} s`;
  if (us < 36000e6) return `${three(us / 60e6)} min`;
  return `${three(us / 3600e6)} h`;
}

// What is not all or nothing never looks like it.
export function percent(share) {
  const value = share * 100;
  if (share > 0 && value < 0.01) return "< 0.01 %";
  if (share < 1 && value >= 99.95) return "> 99.9 %";
  return `${three(value)} %`;
}

export const times = (factor) => `${three(factor)}×`;

// I/Os a second.
export const perSecond = (value) => (value >= 100 ? `${thousands(value)}/s` : `${three(value)}/s`);

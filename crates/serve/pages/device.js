// One device: now, the last minutes, and everything since the watch began.

import { api, begin, byId, el, fill, listen } from "./common.js";
import { bars, lines } from "./charts.js";
import { about, exact, percent, perSecond, rate, size, thousands, three, time, times } from "./numbers.js";

const name = decodeURIComponent(location.pathname.replace(/^\/device\//, ""));
const POINTS = 300;
const AGAIN = 3000;
const history = { at: [], read: [], write: [], readRate: [], writeRate: [], readLatency: [], writeLatency: [], depth: [] };
const MIB = 1048576;

const READ = ["reads", "--read"];
const WRITE = ["writes", "--write"];
const charts = {
  iops: lines(byId("c-iops"), "I/Os a second", [READ, WRITE], (v) => (v >= 10000 ? `${three(v / 1000)}k` : three(v))),
  rate: lines(byId("c-rate"), "Throughput in MiB a second", [READ, WRITE], three),
  latency: lines(byId("c-latency"), "Mean latency in milliseconds", [READ, WRITE], three, true),
  depth: lines(byId("c-depth"), "I/Os in flight", [["in flight", "--good"]], three),
  starts: bars(byId("c-starts"), "Powers of two that starts are multiples of", [READ, WRITE], short),
  place: bars(byId("c-place"), "Bytes past a 4 KiB boundary at which I/Os begin", [READ, WRITE], short),
  sizes: bars(byId("c-sizes"), "Sizes of I/Os", [READ, WRITE], short),
  lat: bars(byId("c-lat"), "Latency by power of two", [READ, WRITE], short),
  bursts: bars(byId("c-bursts"), "Throughput in bursts, and as a sampler of 20 seconds shows it, in MiB a second", [["in the burst", "--good"], ["as shown by a 20 s sampler", "--bad"]], three),
};

function short(value) {
  if (value >= 1e9) return `${three(value / 1e9)}G`;
  if (value >= 1e6) return `${three(value / 1e6)}M`;
  return value >= 1e4 ? `${three(value / 1e3)}k` : three(value);
}

function push(at, device) {
  const add = (column, value) => {
    column.push(value);
    if (column.length > POINTS) column.shift();
  };
  add(history.at, at / 1000);
  add(history.read, device?.read.iops ?? 0);
  add(history.write, device?.write.iops ?? 0);
  add(history.readRate, (device?.read.bytes_per_s ?? 0) / MIB);
  add(history.writeRate, (device?.write.bytes_per_s ?? 0) / MIB);
  add(history.readLatency, ms(device?.read.latency_us));
  add(history.writeLatency, ms(device?.write.latency_us));
  add(history.depth, device?.in_flight ?? 0);
}

const ms = (us) => (us === null || us === undefined ? null : us / 1000);

function draw() {
  charts.iops(history.at, [history.read, history.write]);
  charts.rate(history.at, [history.readRate, history.writeRate]);
  charts.latency(history.at, [history.readLatency, history.writeLatency]);
  charts.depth(history.at, [history.depth]);
}

function tiles(device) {
  const put = (id, text) => {
    byId(id).textContent = text;
  };
  const op = (of, id) => {
    put(`t-${id}`, perSecond(of?.iops ?? 0));
    put(`t-${id}-b`, rate(of?.bytes_per_s ?? 0));
  };
  const latency = (of, id) => {
    const known = of?.latency_us !== null && of?.latency_us !== undefined;
    put(`t-${id}`, known ? time(of.latency_us) : "–");
    put(`t-${id}-p`, known && of.p99_us !== null ? `99 % below ${time(of.p99_us)}` : "");
  };
  op(device?.read, "read");
  op(device?.write, "write");
  latency(device?.read, "rlat");
  latency(device?.write, "wlat");
  put("t-depth", three(device?.in_flight ?? 0));
  put("t-busy", `busy ${percent(device?.busy_ratio ?? 0)}`);
  const off = device?.off_4096_ratio;
  put("t-off", off === null || off === undefined ? "–" : percent(off));
  const [grid] = device?.grids ?? [];
  put("t-cross", grid ? `${percent(grid.crossing_ratio)} cross ${exact(grid.size_bytes)}` : "");
}

// What the counters say of the alignment.
const STATES = {
  aligned: ["Aligned", "good", "✓"], misaligned: ["Misaligned", "bad", "✗"], suboptimal: ["Suboptimal", "warn", "!"],
  partial: ["Partial", "info", "·"], indeterminate: ["Too few I/Os to judge", "odd", "?"],
};

function sentence(alignment) {
  const shift = alignment.offset_bytes;
  switch (alignment.state) {
    case "aligned": return `${percent(alignment.on_4096_ratio)} of ${thousands(alignment.ios)} I/Os begin at a multiple of 4 KiB.`;
    case "misaligned": return shift === null
      ? `${percent(alignment.whole_off_ratio)} of the I/Os of whole 4 KiB blocks begin inside a block.`
      : `${percent(alignment.offset_ratio)} of the I/Os begin ${exact(shift)} past a multiple of 4 KiB: all are shifted by the same amount, as a partition does that starts off it.`;
    case "partial": return `${percent(alignment.partial_ratio)} of the I/Os are no multiple of 4 KiB; the rest is aligned.`;
    case "suboptimal": return "Many I/Os cross a boundary that a declared grid prefers not to be crossed.";
    default: return `${thousands(alignment.ios)} I/Os were counted; a hundred are needed.`;
  }
}

function column(device, of) {
  return [device.by_op.read, device.by_op.write].map((op) => (op ? of(op) : []));
}

// Both columns over the same classes, in order.
function classes(device, of) {
  const [read, write] = column(device, of).map((pairs) => new Map(pairs));
  const keys = [...new Set([...read.keys(), ...write.keys()])].sort((a, b) => a - b);
  return [keys, keys.map((key) => read.get(key) ?? 0), keys.map((key) => write.get(key) ?? 0)];
}

// Every size where there are few; else by power of two.
function sizes(device) {
  const [all] = classes(device, (op) => op.size_histogram.map((one) => [one.bytes, one.ios]));
  if (all.length <= 14) return [classes(device, (op) => op.size_histogram.map((one) => [one.bytes, one.ios])), exact];
  const folded = classes(device, (op) => {
    const sums = new Map();
    for (const one of op.size_histogram) {
      const power = 2 ** Math.ceil(Math.log2(Math.max(one.bytes, 1)));
      sums.set(power, (sums.get(power) ?? 0) + one.ios);
    }
    return [...sums];
  });
  return [folded, (bytes) => `≤ ${exact(bytes)}`];
}

function latencies(device) {
  return classes(device, (op) => {
    const sums = new Map();
    for (const [ns, ios] of Object.entries(op.latency_histogram_ns ?? {})) {
      const power = 2 ** Math.floor(Math.log2(Math.max(Number(ns), 1)) + 1);
      sums.set(power, (sums.get(power) ?? 0) + ios);
    }
    return [...sums];
  });
}

function histograms(device) {
  const [powers, r, w] = classes(device, (op) => op.start_pow2_histogram.map((ios, k) => [k, ios]).filter(([, ios]) => ios > 0));
  charts.starts(powers.map((k) => (k >= 63 ? "start" : exact(2 ** k))), [r, w], thousands);
  const [sectors, pr, pw] = classes(device, (op) => op.start_mod_4096.map((ios, i) => [i * 512, ios]));
  charts.place(sectors.map((bytes) => (bytes === 0 ? "at it" : `${bytes} B`)), [pr, pw], thousands);
  const [[bytes, sr, sw], label] = sizes(device);
  charts.sizes(bytes.map(label), [sr, sw], thousands);
  const [ns, lr, lw] = latencies(device);
  charts.lat(ns.map((one) => `< ${time(one / 1000)}`), [lr, lw], thousands);
}

function table(place, head, body, none) {
  const title = byId(place).querySelector("h3");
  if (body.length === 0) {
    fill(byId(place), title, el("p", { class: "quiet" }, none));
    return;
  }
  fill(byId(place), title, el("table", {},
    el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, body.map((row) => el("tr", {}, el("th", { scope: "row" }, row[0]), row.slice(1).map((text) => el("td", {}, text)))))));
}

const us = (latency, key) => (latency === null || latency === undefined ? "–" : time(latency[key]));

function tables(device) {
  const ops = Object.entries(device.by_op);
  table("latency", ["", "I/Os", "bytes", "mean", "half below", "90 %", "99 %", "99.9 %", "most"], ops.map(([op, of]) => [
    op, thousands(of.ios), size(of.bytes), ...["mean", "p50", "p90", "p99", "p999", "max"].map((key) => us(of.latency_us, key)),
  ]), "No I/O yet.");
  table("grids", ["boundary", "op", "begin off it", "cross it", "latency", "when crossing"], device.grids.map((grid) => {
    const ios = device.by_op[grid.op]?.ios ?? 0;
    const share = (part) => (ios > 0 ? percent(part / ios) : "–");
    return [`${exact(grid.size_bytes)} ${grid.kind}`, grid.op, share(grid.start_off_grid), share(grid.straddling),
      us(grid.clean_latency_us, "mean"), us(grid.straddling_latency_us, "mean")];
  }), "No boundaries are known.");
  table("processes", ["process", "op", "I/Os", "bytes", "begin off 4 KiB"], device.processes.map((one) => {
    const on = one.start_pow2_histogram.slice(12).reduce((sum, ios) => sum + ios, 0);
    return [`${one.name} (${one.pid})`, one.op, thousands(one.ios), size(one.bytes), percent((one.ios - on) / Math.max(one.ios, 1))];
  }), "No process is known.");
}

function order(device) {
  const title = byId("order").querySelector("h3");
  const said = Object.entries(device.by_op).filter(([, op]) => op.sequential_ratio !== null).map(([op, of]) =>
    el("p", {}, `${op}: ${percent(of.sequential_ratio)} sequential, ${percent(1 - of.sequential_ratio)} random`));
  fill(byId("order"), title, said, el("p", { class: "quiet" }, said.length > 0
    ? "Sequential: it begins where an I/O of the same kind ended before it."
    : "Not known live: the order of I/Os is not counted. ioalign watch --record and ioalign trace summarize tell it."));
}

function depth(device) {
  const title = byId("depth").querySelector("h3");
  const queue = device.queue_depth;
  const law = device.littles_law;
  fill(byId("depth"), title, queue === null ? el("p", { class: "quiet" }, "No latency is known yet.") : [
    el("p", {}, `${three(queue.mean_while_busy)} in flight while there was any, ${three(queue.mean)} over the whole time; busy ${percent(queue.busy_ratio)} of it.`),
    law === null ? null : el("p", { class: "quiet" }, `Little's law: ${three(law.iops)} I/Os a second × ${time(law.latency_mean_us)} = ${three(law.expected)}.`),
  ]);
}

function bursts(device) {
  const largest = device.bursts.filter((burst) => burst.throughput_bytes_per_s !== null).slice(-12);
  const shownBy = (burst) => burst.sampled.find((one) => one.interval_us === 20000000);
  charts.bursts(largest.map((burst) => `at ${time(burst.start_us)}`),
    [largest.map((burst) => burst.throughput_bytes_per_s / MIB), largest.map((burst) => (shownBy(burst)?.throughput_bytes_per_s ?? 0) / MIB)], three);
  const place = byId("c-bursts");
  place.querySelector(".said")?.remove();
  const total = device.bursts_total;
  const worst = largest.reduce((found, burst) => (burst.throughput_bytes_per_s > found.throughput_bytes_per_s ? burst : found), largest[0]);
  const text = worst === undefined ? "No burst has ended yet: a burst is I/O between idle times of 100 ms."
    : `${thousands(total.count)} bursts. The fastest, at ${time(worst.start_us)}, lasted ${time(worst.duration_us)} and moved ${rate(worst.throughput_bytes_per_s)}; a monitor that samples every 20 s shows ${rate(shownBy(worst)?.throughput_bytes_per_s ?? 0)} of it, too little by ${times(shownBy(worst)?.understated_ratio ?? 1)}.`;
  place.querySelector("h3").after(el("p", { class: "said quiet" }, text));
}

function rmw(device) {
  const found = device.read_before_overwrite;
  const place = byId("rmw");
  place.hidden = !found?.seen;
  if (place.hidden) return;
  fill(place, el("strong", {}, "Read-modify-write by a layer above. "),
    `${thousands(found.small_reads)} small reads beside ${thousands(found.large_writes)} large writes, and ${percent(found.overwritten_pages / Math.max(found.read_pages, 1))} of the pages read are overwritten by a large write later. Something above writes pieces that begin or end inside a 4 KiB page, and reads those pages first. iostat's w_await misleads here: it does not have the read that comes before such a write.`);
}

async function load() {
  try {
    const device = await api(`/api/v1/devices/${encodeURIComponent(name)}/profile`);
    byId("since-grid").hidden = !device.by_op;
    if (device.by_op) {
      const [word, colour, sign] = STATES[device.alignment.state] ?? STATES.indeterminate;
      fill(byId("verdict"), el("div", { class: `verdict ${colour}`, "data-verdict": device.alignment.state },
        el("strong", {}, el("span", { "aria-hidden": "true" }, sign), word), el("p", {}, sentence(device.alignment))));
      const all = Object.values(device.by_op).reduce((sum, op) => sum + op.ios, 0);
      byId("since").textContent = `${thousands(all)} I/Os.`;
      histograms(device);
      tables(device);
      order(device);
      depth(device);
      bursts(device);
      rmw(device);
    } else {
      byId("since").textContent = "No I/O was counted on this device yet.";
    }
  } catch (error) {
    byId("since-grid").hidden = true;
    byId("since").textContent = `Nothing is counted: ${error.message}`;
  }
  setTimeout(load, document.hidden ? AGAIN * 5 : AGAIN);
}

// What the stack says of the device, and the others beside it.
async function facts() {
  const report = await api("/api/v1/stack");
  const disks = report.targets.flatMap((target) => target.layers).filter((layer) => layer.facts?.["device-number"] && layer.kind !== "partition");
  const kernel = (layer) => layer.facts["kernel-name"] ?? layer.name;
  const own = disks.find((layer) => kernel(layer) === name);
  if (own) {
    byId("about").textContent = [own.kind, own.facts.model, own.size_bytes === null ? null : about(own.size_bytes)].filter(Boolean).join(" · ");
  }
  const names = [...new Set([name, ...disks.map(kernel)])].filter((one) => !one.includes("/")).sort();
  fill(byId("choose"), names.map((one) => el("option", { value: one, selected: one === name }, one)));
}

begin("/");
byId("title").textContent = name;
document.title = `${name} · ioalign`;
byId("choose").addEventListener("change", (event) => {
  location.href = `/device/${encodeURIComponent(event.target.value)}`;
});
facts().catch(() => fill(byId("choose"), el("option", {}, name)));
const past = await api(`/api/v1/devices/${encodeURIComponent(name)}/history`).catch(() => null);
if (past !== null) {
  history.at = past.at_ms.map((at) => at / 1000);
  history.read = past.read_iops;
  history.write = past.write_iops;
  history.readRate = past.read_bytes_per_s.map((value) => value / MIB);
  history.writeRate = past.write_bytes_per_s.map((value) => value / MIB);
  history.readLatency = past.read_latency_us.map(ms);
  history.writeLatency = past.write_latency_us.map(ms);
  history.depth = past.in_flight;
  draw();
}
load();
listen((moment) => {
  const device = moment.devices.find((one) => one.name === name);
  if (history.at[history.at.length - 1] !== moment.at_ms / 1000) push(moment.at_ms, device);
  tiles(device);
  draw();
});

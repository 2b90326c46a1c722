// A document of `check` as a picture: each disk, what lies on it, where that starts, and what crosses the boundary.

import { el, severity } from "./common.js";
import { about, exact, percent, perSecond, rate, thousands, time } from "./numbers.js";

const WORST = ["ok", "note", "unknown", "suboptimal", "misaligned", "data-risk", "broken"];
const worse = (a, b) => (WORST.indexOf(b) > WORST.indexOf(a) ? b : a);
const KINDS = {
  disk: "disk", image: "image", partition: "partition", md: "RAID array", "lvm-pv": "LVM physical volume",
  "lvm-lv": "logical volume", "thin-pool": "thin pool", crypt: "encrypted", filesystem: "file system", swap: "swap", database: "database",
};

// The verdict, in words.
export function verdict(target, when) {
  const [word, colour, sign] = severity(target.verdict);
  const first = target.findings.find((one) => one.severity === target.verdict && !one.waived);
  const ended = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
  let why = "Everything that carries data starts on the boundaries that matter.";
  if (target.error) why = target.error.message;
  else if (first && !["ok", "note"].includes(target.verdict)) why = first.why;
  else if (target.verdict === "unknown") why = "Nothing that could be judged was recognised, so nothing is claimed.";
  return el("div", { class: `verdict ${colour}`, "data-verdict": target.verdict },
    el("strong", {}, el("span", { "aria-hidden": "true" }, sign), `${word}: ${target.target}`),
    el("p", {}, ended(why)), when ? el("p", { class: "quiet" }, when) : null);
}

// The findings that say something, worst first.
export function findings(target) {
  const shown = target.findings.filter((one) => !["ok", "note"].includes(one.severity));
  const notes = target.findings.filter((one) => one.severity === "note");
  const names = new Map(target.layers.map((layer) => [layer.id, layer.name]));
  const out = shown.map((one) => finding(one, names));
  if (shown.length === 0) out.push(el("p", { class: "quiet" }, "None."));
  if (notes.length > 0) {
    out.push(el("details", {}, el("summary", {}, notes.length === 1 ? "1 note, which spoils no verdict" : `${notes.length} notes, which spoil no verdict`), notes.map((one) => finding(one, names))));
  }
  return out;
}

function finding(one, names) {
  const [word, colour] = severity(one.severity);
  const commands = one.do.filter((step) => step.startsWith("$ ")).map((step) => step.slice(2));
  const steps = one.do.filter((step) => !step.startsWith("$ "));
  return el("article", { class: `card finding ${colour}`, "data-rule": one.rule },
    el("h3", {}, el("span", { class: colour }, word), el("span", {}, names.get(one.layer) ?? ""), el("span", { class: "quiet" }, one.rule)),
    el("p", {}, one.why),
    steps.map((step) => el("p", { class: "quiet" }, step)),
    commands.length > 0 ? el("pre", {}, commands.join("\n")) : null,
    one.waived ? el("p", { class: "quiet" }, `Waived: ${one.waived.reason ?? ""}`) : null);
}

// The stack as nested lists. `live` takes the figures of a moment; `device` is the page of a layer, where it has one.
export class StackPicture {
  constructor(target, device) {
    this.target = target;
    this.device = device;
    this.layers = new Map(target.layers.map((layer) => [layer.id, layer]));
    this.grids = new Map(target.grids.map((grid) => [grid.id, grid]));
    this.above = new Map();
    for (const layer of target.layers) {
      for (const edge of layer.below) {
        if (!this.above.has(edge.id)) this.above.set(edge.id, []);
        this.above.get(edge.id).push(layer);
      }
    }
    this.drawn = new Set();
    this.cards = [];
    const bottom = target.layers.filter((layer) => layer.below.length === 0);
    this.node = el("ul", { class: "stack", "aria-label": "Layers, from the disk up" }, bottom.map((layer) => this.draw(layer, null, 0)));
  }

  draw(layer, below, depth) {
    const again = this.drawn.has(layer.id);
    const card = this.card(layer, below, again);
    if (again || depth > 24) return el("li", {}, card);
    this.drawn.add(layer.id);
    const children = this.above.get(layer.id) ?? [];
    return el("li", { "data-layer": layer.id }, card,
      children.length > 0 ? el("ul", {}, children.map((child) => this.draw(child, layer, depth + 1))) : null);
  }

  card(layer, below, again) {
    const state = this.state(layer);
    const [, colour] = severity(state);
    const link = this.device?.(layer);
    const name = link ? el("a", { href: link, class: "layer-name" }, layer.name) : el("span", { class: "layer-name" }, layer.name);
    const head = el("div", { class: "layer-head" }, name, el("span", { class: "quiet" }, this.facts(layer)),
      again ? el("span", { class: "quiet" }, "(shown above)") : this.mark(layer, state));
    const boundary = el("div", { class: "boundary" });
    const flow = el("div", { class: "flow", "aria-hidden": "true", hidden: true }, el("span", { class: "r" }), el("span", { class: "w" }));
    const card = el("div", { class: `layer is-${colour}` }, head, boundary, flow);
    const entry = { layer, below, name, boundary, flow, place: again ? [] : this.place(layer, below) };
    boundary.append(...entry.place);
    if (!again) this.cards.push(entry);
    return card;
  }

  facts(layer) {
    const kind = KINDS[layer.kind] ?? layer.kind;
    const facts = layer.facts ?? {};
    const words = [kind];
    for (const key of ["model", "type", "fs-type", "format", "level", "mount"]) {
      const value = facts[key];
      if (typeof value === "string" && value !== "" && value !== layer.name) words.push(key === "type" ? `type ${value}` : value);
    }
    if (layer.size_bytes !== null) words.push(about(layer.size_bytes));
    return words.join(" · ");
  }

  // The worst finding that blames a layer.
  state(layer) {
    let state = "ok";
    for (const one of this.target.findings) {
      if (!one.waived && (one.guilty_layer ?? one.layer) === layer.id) state = worse(state, one.severity);
    }
    return state;
  }

  mark(layer, state) {
    const off = this.worstOffset(layer);
    const [word, colour, sign] = severity(state);
    if (layer.below.length === 0 && state === "ok") return null;
    const inherits = this.target.findings.find((one) => !one.waived && one.layer === layer.id && one.guilty_layer !== null && one.guilty_layer !== layer.id && !["ok", "note"].includes(one.severity));
    if (inherits !== undefined && ["ok", "note"].includes(state)) {
      const [, shade, mark] = severity(inherits.severity);
      return el("span", { class: `mark ${shade}` }, `${mark} off because of ${this.layers.get(inherits.guilty_layer)?.name ?? inherits.guilty_layer}`);
    }
    let text = `${sign} on its boundaries`;
    if (off !== null && !["ok", "note"].includes(state)) text = `${sign} ${exact(off.offset)} past a ${exact(off.size)} boundary`;
    else if (!["ok", "note"].includes(state)) text = `${sign} ${word}`;
    else if (off !== null) text = off.assumed ? `· off ${exact(off.size)} (assumed): costs little` : `· off ${exact(off.size)}`;
    else if (layer.phases.length === 0) return null;
    return el("span", { class: `mark ${off === null ? colour : state === "ok" ? "info" : colour}` }, text);
  }

  worstOffset(layer) {
    let found = null;
    for (const phase of layer.phases) {
      const grid = this.grids.get(phase.grid);
      if (!grid?.trusted || phase.offset_bytes === 0) continue;
      if (found === null || grid.size_bytes < found.size) found = { size: grid.size_bytes, offset: phase.offset_bytes, assumed: grid.origin === "assumed" };
    }
    return found;
  }

  // Where a layer begins on the one below.
  place(layer, below) {
    const edge = layer.below.find((one) => one.id === below?.id) ?? null;
    const out = [];
    if (edge?.start_bytes !== null && edge?.start_bytes !== undefined) {
      const sectors = layer.start_sectors === null ? "" : `, sector ${thousands(layer.start_sectors)}`;
      if (edge.start_bytes > 0 || layer.kind === "partition") out.push(el("span", {}, `starts at ${exact(edge.start_bytes)}${sectors}`));
    }
    if (edge?.chunk_bytes) out.push(el("span", {}, `chunks of ${exact(edge.chunk_bytes)}`));
    if (layer.below.length > 1) out.push(el("span", {}, `on ${layer.below.map((one) => this.layers.get(one.id)?.name ?? one.id).join(", ")}`));
    if (layer.below.length === 0) {
      const grids = this.target.grids.filter((grid) => grid.layer === layer.id && grid.trusted && grid.tier !== "validity");
      const sizes = [...new Set(grids.map((grid) => `${exact(grid.size_bytes)} ${grid.kind}`))];
      if (sizes.length > 0) out.push(el("span", {}, `boundaries: ${sizes.slice(0, 4).join(", ")}`));
    }
    return out;
  }

  // The figures of a moment on every boundary.
  show(moment) {
    const byName = new Map(moment.devices.map((device) => [device.name, device]));
    const byNumber = new Map(moment.devices.map((device) => [device.number, device]));
    let most = 0;
    for (const device of moment.devices) most = Math.max(most, device.read.bytes_per_s + device.write.bytes_per_s);
    for (const entry of this.cards) {
      const number = entry.layer.facts?.["device-number"];
      const device = byNumber.get(number ?? "none") ?? (DEVICES.has(entry.layer.kind) ? byName.get(entry.layer.name) : undefined);
      entry.boundary.replaceChildren(...entry.place, ...(device ? crossing(device) : []));
      entry.flow.hidden = !device;
      // A volume has another name in its stack than in the kernel, which the figures tell.
      if (device?.counted && this.device !== null && entry.name.tagName === "SPAN") {
        const link = el("a", { href: `/device/${encodeURIComponent(device.name)}`, class: "layer-name" }, entry.layer.name);
        entry.name.replaceWith(link);
        entry.name = link;
      }
      if (device) {
        entry.flow.children[0].style.width = `${most > 0 ? (100 * device.read.bytes_per_s) / most : 0}%`;
        entry.flow.children[1].style.width = `${most > 0 ? (100 * device.write.bytes_per_s) / most : 0}%`;
      }
    }
  }
}

const DEVICES = new Set(["disk", "partition", "md", "lvm-lv", "crypt", "bcache", "multipath", "zram"]);

function crossing(device) {
  const ios = device.read.iops + device.write.iops;
  const out = [];
  out.push(el("span", {}, el("b", {}, perSecond(ios)), ` I/Os, ${rate(device.read.bytes_per_s + device.write.bytes_per_s)}`));
  const mean = weighted(device);
  if (mean !== null) out.push(el("span", {}, el("b", {}, time(mean)), device.counted ? " latency" : " await"));
  for (const grid of device.grids.slice(0, 3)) {
    out.push(el("span", { class: grid.crossing_ratio > 0.1 ? "bad" : "" },
      el("b", {}, percent(grid.crossing_ratio)), ` cross ${exact(grid.size_bytes)}`));
  }
  const top = device.processes[0];
  if (top) out.push(el("span", {}, `most by ${top.name} (${top.pid})`));
  if (device.read_modify_write) out.push(el("span", { class: "bad" }, "read-modify-write above"));
  return out;
}

export function weighted(device) {
  let ios = 0;
  let sum = 0;
  for (const op of [device.read, device.write]) {
    if (op.latency_us === null) continue;
    ios += op.iops;
    sum += op.iops * op.latency_us;
  }
  return ios > 0 ? sum / ios : null;
}

// The stack of this machine, with the figures of the last second on every boundary.

import { api, begin, byId, el, fill, listen } from "./common.js";
import { perSecond, percent, size, three, time } from "./numbers.js";
import { StackPicture, findings, verdict } from "./picture.js";

const AGAIN = 10000;
let picture = null;
let last = null;
let shown = "";

// Devices that have a page: those whose I/O a watch can count.
const PAGES = new Set(["disk", "md", "lvm-lv", "crypt", "bcache", "thin-pool"]);

function page(layer) {
  const number = layer.facts?.["device-number"];
  if (!PAGES.has(layer.kind) || !number) return null;
  const name = layer.facts["kernel-name"] ?? layer.name;
  return name.includes("/") ? null : `/device/${encodeURIComponent(name)}`;
}

async function load() {
  try {
    const report = await api("/api/v1/stack");
    const text = JSON.stringify(report.targets);
    const machine = report.machine;
    if (machine?.host) byId("title").textContent = machine.host;
    byId("made").textContent = [report.tool, machine?.kernel, machine?.platform].filter(Boolean).join(" · ");
    const [target] = report.targets;
    const when = machine?.time ? `Checked ${new Date(machine.time).toLocaleString()}.` : null;
    fill(byId("verdict"), verdict(target, when));
    if (text !== shown) {
      shown = text;
      picture = new StackPicture(target, page);
      fill(byId("picture"), picture.node);
      fill(byId("findings"), findings(target));
      if (last !== null) picture.show(last);
    }
  } catch (error) {
    fill(byId("verdict"), el("p", { class: "note" }, error.message));
    if (error.status === 503 && shown === "") {
      setTimeout(load, 1000);
      return;
    }
  }
  setTimeout(load, AGAIN);
}

function row(device) {
  const latency = (op) => (op.latency_us === null ? "–" : time(op.latency_us));
  const who = device.processes.slice(0, 3).map((one) => `${one.name} (${one.pid})`);
  const name = device.counted
    ? el("a", { href: `/device/${encodeURIComponent(device.name)}` }, device.name)
    : el("span", {}, device.name);
  const cells = [
    perSecond(device.read.iops), perSecond(device.write.iops),
    three((device.read.bytes_per_s + device.write.bytes_per_s) / 1048576),
    latency(device.read), latency(device.write), three(device.in_flight),
    device.off_4096_ratio === null ? "–" : percent(device.off_4096_ratio),
  ];
  return el("tr", {}, el("th", { scope: "row" }, name), cells.map((text) => el("td", {}, text)),
    el("td", { class: "l name" }, [...new Set(who)].join(", ")));
}

begin("/");
load();
listen((moment) => {
  last = moment;
  picture?.show(moment);
  const rows = [...moment.devices].sort((a, b) => b.read.iops + b.write.iops - a.read.iops - a.write.iops);
  fill(byId("devices").tBodies[0], rows.map(row));
  byId("idle").hidden = rows.length > 0;
});

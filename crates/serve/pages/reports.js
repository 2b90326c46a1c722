// The reports of the folder, newest first.

import { api, begin, byId, el, fill, listen } from "./common.js";
import { size, thousands } from "./numbers.js";
import { StackPicture, findings, verdict } from "./picture.js";

const KINDS = {
  "ioalign.check/1": "check", "ioalign.comparison/1": "measure", "ioalign.simulation/1": "simulate", "ioalign.lab/1": "lab", "ioalign.profile/1": "profile of I/O",
  "ioalign.geometry/1": "probe", "ioalign.load/1": "measure run", "ioalign.advice/1": "advise", "ioalign.tear/1": "lab tear",
};
// Pages of their own; the others are shown here.
const PAGES = new Set(["ioalign.comparison/1", "ioalign.lab/1"]);
const AGAIN = 5000;

async function show(report) {
  byId("shown").hidden = false;
  byId("shown-title").textContent = report.name;
  const path = `/api/v1/reports/${encodeURIComponent(report.name)}`;
  try {
    if (report.document === "ioalign.check/1") {
      const document = await api(path);
      fill(byId("body"), document.targets.slice(0, 50).flatMap((target) => [
        verdict(target), new StackPicture(target, null).node, el("h2", {}, "Findings"), ...findings(target),
      ]));
    } else {
      const answer = await fetch(`${path}/view`);
      fill(byId("body"), el("pre", { class: "report card", tabindex: "0" }, await answer.text()));
    }
  } catch (error) {
    fill(byId("body"), el("p", { class: "note" }, error.message));
  }
  byId("shown").scrollIntoView();
}

function line(report) {
  const path = `/api/v1/reports/${encodeURIComponent(report.name)}`;
  const button = el("button", { type: "button" }, "show");
  button.addEventListener("click", () => show(report));
  const open = PAGES.has(report.document) ? el("a", { href: `${path}/view` }, "open") : button;
  return el("li", { "data-report": report.name }, el("strong", {}, report.name), el("span", {}, KINDS[report.document] ?? report.document),
    el("span", { class: "quiet" }, `${new Date(report.modified_ms).toLocaleString()} · ${size(report.bytes)}`), open, el("a", { href: path }, "JSON"));
}

let known = "";
async function load() {
  try {
    const list = await api("/api/v1/reports");
    const text = JSON.stringify(list);
    if (text !== known) {
      known = text;
      fill(byId("list"), list.reports.map(line));
      const none = byId("none");
      const left = list.left_out > 0 ? ` ${thousands(list.left_out)} files there are no reports, too large, or too many.` : "";
      none.hidden = list.reports.length > 0 && left === "";
      if (!list.served) fill(none, "No folder of reports is served. ", el("code", {}, "ioalign serve --reports FOLDER"), " lists the documents in it that ", el("code", {}, "check --json"), ", measure, simulate and lab have written.");
      else none.textContent = (list.reports.length === 0 ? "No reports yet: they appear here when they are written." : "") + left;
    }
    byId("why").hidden = true;
  } catch (error) {
    byId("why").hidden = false;
    byId("why").textContent = error.message;
  }
  setTimeout(load, AGAIN);
}

begin("/reports");
load();
listen(() => {});

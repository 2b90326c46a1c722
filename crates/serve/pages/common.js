// What all pages share. Names come from disks: they reach the page as text, never as markup.

// An element with attributes and children; strings become text.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

export const byId = (id) => document.getElementById(id);

export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

// What a severity is called, and its colour; the word is always there, so that colour says nothing alone.
export const SEVERITIES = {
  ok: ["OK", "good", "✓"],
  note: ["Note", "info", "·"],
  suboptimal: ["Suboptimal", "warn", "!"],
  misaligned: ["Misaligned", "bad", "✗"],
  "data-risk": ["Data at risk", "worst", "‼"],
  broken: ["Broken", "worst", "‼"],
  unknown: ["Unknown", "odd", "?"],
};
export const severity = (name) => SEVERITIES[name] ?? SEVERITIES.unknown;

// A document of the API, or an error with the server's own sentence.
export async function api(path, options) {
  const answer = await fetch(path, options);
  const text = await answer.text();
  let document = null;
  try {
    document = JSON.parse(text);
  } catch {
    document = null;
  }
  if (!answer.ok) {
    const error = new Error(document?.error ?? `the server answers ${answer.status}`);
    error.status = answer.status;
    throw error;
  }
  return document;
}

// The second that just was, every second, while the page is seen.
export function listen(onMoment) {
  const status = byId("status");
  let source = null;
  const say = (text, live) => {
    if (status.textContent !== text) status.textContent = text;
    status.classList.toggle("live", live);
  };
  const open = () => {
    if (source !== null) return;
    source = new EventSource("/api/v1/events");
    source.onmessage = (event) => {
      const moment = JSON.parse(event.data);
      say(moment.why_not === null ? "live" : "live, without events", true);
      whyNot(moment.why_not);
      onMoment(moment);
    };
    source.onerror = () => say("not connected", false);
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  if (!document.hidden) open();
}

function whyNot(reason) {
  const place = byId("why");
  if (place === null || place.dataset.reason === (reason ?? "")) return;
  place.dataset.reason = reason ?? "";
  place.hidden = reason === null;
  if (reason === null) return;
  fill(
    place,
    el("strong", {}, "No live counters on boundaries. "),
    el("span", {}, reason),
    el("p", { class: "quiet" }, "Rates and latencies below are the kernel's own sums (/proc/diskstats), as iostat shows them."),
  );
}

// The page in the navigation, and how the server is called.
export function begin(name) {
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === name) link.setAttribute("aria-current", "page");
  }
}

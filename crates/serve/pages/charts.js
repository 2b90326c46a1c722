// Charts by uPlot, each with the same numbers as a table for those who do not see it.

import { el } from "./common.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const HEIGHT = 190;

function width(place) {
  return Math.max(place.clientWidth, 200);
}

function axes(values, bottom) {
  const common = { stroke: () => css("--quiet"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 }, font: "12px system-ui, sans-serif" };
  return [{ ...common, ...bottom }, { ...common, size: 58, values: (_, ticks) => ticks.map(values) }];
}

function hold(figure, chart, place) {
  figure.chart = chart;
  new ResizeObserver(() => chart.setSize({ width: width(place), height: HEIGHT })).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.redraw());
}

function table(figure) {
  const body = el("table", {});
  figure.append(el("details", {}, el("summary", {}, "the numbers"), el("div", { class: "wide" }, body)));
  return body;
}

function rows(body, head, lines) {
  body.replaceChildren(
    el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, lines.map((line) => el("tr", {}, el("th", { scope: "row" }, line[0]), line.slice(1).map((text) => el("td", {}, text))))),
  );
}

// Lines over the last minutes. `series`: name, colour; `format`: a value for people.
export function lines(figure, label, series, format, points = false) {
  const place = el("div", { class: "plot", role: "img", "aria-label": label });
  figure.append(place);
  const chart = new uPlot({
    width: width(place), height: HEIGHT, legend: { show: false }, cursor: { show: false },
    scales: { y: { range: (_, low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: axes(format, { space: 70, values: [[60, "{HH}:{mm}", null, null, null, null, null, null, 1], [1, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1]] }),
    series: [{}, ...series.map(([name, colour]) => ({ label: name, stroke: () => css(colour), width: 1.75, points: { show: points, size: 4, fill: () => css(colour) }, spanGaps: false }))],
  }, [[], ...series.map(() => [])], place);
  hold(figure, chart, place);
  return (times, columns) => {
    chart.setData([times, ...columns]);
    const now = columns.map((column, i) => `${series[i][0]} ${column.length > 0 && column[column.length - 1] !== null ? format(column[column.length - 1]) : "none"}`);
    place.setAttribute("aria-label", `${label}. Now: ${now.join(", ")}.`);
  };
}

// Bars by class, reads beside writes.
export function bars(figure, label, series, format) {
  const place = el("div", { class: "plot", role: "img", "aria-label": label });
  figure.append(place);
  const body = table(figure);
  let names = [];
  const draw = (count, at) => (u, i, from, to) => {
    const gap = count === 1 ? 0.7 : 0.38;
    return uPlot.paths.bars({ size: [gap, 60], align: count === 1 ? 0 : at === 0 ? -1 : 1, gap: 1 })(u, i, from, to);
  };
  const chart = new uPlot({
    width: width(place), height: HEIGHT, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: false, range: (_, low, high) => [-0.6, Math.max(names.length, 1) - 0.4] }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] } },
    axes: axes(format, { splits: () => names.map((_, i) => i).filter((i) => i % Math.ceil(names.length / Math.max(2, Math.floor(width(place) / 80))) === 0), values: (_, at) => at.map((i) => names[i] ?? ""), grid: { show: false } }),
    series: [{}, ...series.map(([name, colour], i) => ({ label: name, stroke: () => css(colour), fill: () => css(colour), paths: draw(series.length, i), points: { show: false } }))],
  }, [[], ...series.map(() => [])], place);
  hold(figure, chart, place);
  return (classes, columns, text = format) => {
    names = classes;
    chart.setData([classes.map((_, i) => i), ...columns]);
    rows(body, ["", ...series.map(([name]) => name)], classes.map((name, i) => [name, ...columns.map((column) => text(column[i] ?? 0))]));
    const most = columns[0].map((_, i) => columns.reduce((sum, column) => sum + (column[i] ?? 0), 0));
    const top = most.indexOf(Math.max(...most));
    place.setAttribute("aria-label", classes.length > 0 ? `${label}. Most: ${classes[top]}.` : `${label}. Nothing yet.`);
  };
}

// One page for all questions: its path says which is asked. Names come from disks and hosts: only textContent is written.
import { api, begin, byId, el, fill } from '/pages/common.js';
import { CHANGED, CHANGED_RULES, CHANGES, DEVICES, FINDINGS, TABLES, WORST, ago, findings, hosts, number, severity, time } from '/pages/fleet-tables.js';

const content = byId('content');
const path = location.pathname.replace(/\/$/, '') || '/fleet';
const query = new URLSearchParams(location.search);

async function ask(question) {
  const url = `/api/v1/fleet/${question}`;
  byId('api').href = url;
  return (await api(url)).answer;
}

function head(title, about = '') {
  byId('title').textContent = title;
  byId('about').textContent = about;
  document.title = `${title} · ioalign`;
}

function cell(column, row) {
  const value = column.value(row);
  const made = el('td', column.left ? { class: column.long ? 'l long' : 'l' } : {});
  if (typeof value !== 'object') made.textContent = value;
  else if (value.href) made.append(el('a', { href: value.href }, value.text));
  else made.append(el('span', { class: value.class }, value.text));
  return made;
}

function table(rows, columns, caption) {
  if (rows.length === 0) return el('p', { class: 'quiet' }, 'None.');
  const titles = columns.map((column) => el('th', { scope: 'col', class: column.left ? 'l' : '' }, column.title));
  const lines = rows.map((row) => el('tr', {}, ...columns.map((column) => cell(column, row))));
  const made = el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, ...titles)), el('tbody', {}, ...lines));
  return el('div', { class: 'card wide', tabindex: '0', role: 'region', 'aria-label': caption }, made);
}

function tiles(list) {
  const made = list.map(([name, value, hint = '']) => el('div', { class: 'tile' }, el('dt', {}, name), el('dd', {}, value), el('small', {}, hint)));
  return el('dl', { class: 'tiles' }, ...made);
}

const section = (title, ...children) => el('section', {}, el('h2', {}, title), ...children);

async function fleet() {
  head('Fleet');
  const [all, worst] = [await ask('overview'), await ask('worst?rows=100')];
  byId('api').href = '/api/v1/fleet/overview';
  const bad = ['broken', 'data-risk', 'misaligned', 'suboptimal'].reduce((sum, word) => sum + (all.hosts_by_severity[word] || 0), 0);
  const words = Object.entries(all.hosts_by_severity).map(([word, hosts]) => `${number(hosts)} ${word}`).join(', ');
  if (all.hosts === 0) return [el('p', { class: 'note' }, 'No host has pushed yet: ioalign push URL --token-file FILE')];
  return [tiles([['hosts', number(all.hosts), words], ['with a bad finding', number(bad)], ['silent for two days', number(all.silent_hosts)],
    ['I/Os a day in vain', number(all.extra_ios_per_day), `of ${hosts(all.profiled_hosts)} with a profile`],
    ['last push', all.last_seen_seconds === null ? 'never' : ago(all.last_seen_seconds), `${number(all.reports)} pushes`]]),
    section('Worst hosts', table(worst, WORST, 'Worst hosts first, at most 100'))];
}

async function one(name) {
  const found = await ask(`hosts/${encodeURIComponent(name)}`);
  head(found.host);
  const { text, class: kind } = severity(found.severity);
  const verdict = el('div', { class: `verdict ${kind}` }, el('strong', {}, text),
    el('p', {}, `${findings(found)}; last push ${ago(found.last_seen_seconds)}, first ${time(found.first_seen_seconds)} UTC`));
  const reports = found.reports.map((report, index) => ({ ...report, before: found.reports[index + 1] }));
  const columns = [{ title: 'report', left: true, value: (row) => ({ text: String(row.report), href: `/api/v1/fleet/reports/${row.report}` }) },
    { title: 'received, UTC', left: true, value: (row) => time(row.received_at_seconds) }, { title: 'made, by its clock', left: true, value: (row) => time(row.taken_at_seconds) },
    { title: 'severity', left: true, value: (row) => severity(row.severity) }, { title: 'I/Os a day', value: (row) => row.ios_per_day === null ? '' : number(row.ios_per_day) },
    { title: 'pushed by', left: true, value: (row) => row.pushed_by },
    { title: 'stack', left: true, value: (row) => !row.before ? 'the first' : row.changed ? { text: 'changed', href: `/fleet/compare?before=${row.before.report}&after=${row.report}` } : 'as before' }];
  return [verdict, section('Findings now', table(found.findings_now, FINDINGS, 'Worst first')), section('Disks', table(found.devices, DEVICES, 'Disks of the last capture')),
    section('Reports', table(reports, columns, 'Newest first, at most 200'))];
}

async function compared() {
  const found = await ask(`compare?before=${Number(query.get('before'))}&after=${Number(query.get('after'))}`);
  head(`Reports ${found.before} and ${found.after}`, 'Layers, grids and findings whose values differ.');
  return [table(found.changes, CHANGED, found.is_cut ? 'The first 1000 differences' : 'All differences')];
}

async function changes() {
  const days = Number(query.get('days')) || 7;
  head('What changed', `Findings that came and went in ${days} days.`);
  const links = [1, 7, 30, 90].map((choice) => el('a', { href: `/fleet/changes?days=${choice}` }, `${choice} d`));
  const found = await ask(`changes?days=${days}`);
  return [el('p', { class: 'row' }, ...links), tiles([['new hosts', number(found.new_hosts)], ['silent hosts', number(found.silent_hosts), `for ${days} days`]]),
    section('By rule', table(found.rules, CHANGED_RULES, 'Most new findings first')), section('Latest', table(found.latest, CHANGES, 'Newest first, at most 100'))];
}

async function searched() {
  const text = query.get('q') || '';
  byId('q').value = text;
  head(`Search: ${text}`, 'A part of a host name, a rule, or a part of a model.');
  const found = await ask(`search?q=${encodeURIComponent(text)}`);
  return [table(found, [...WORST, { title: 'found by', left: true, value: (row) => row.by }], 'At most 100 hosts')];
}

async function exported() {
  head('Export', 'Whole tables, as CSV for a spreadsheet and as JSON.');
  byId('api').href = '/api/v1/fleet/export/hosts.json';
  const rows = ['hosts', 'findings', 'claims'].map((name) => el('p', { class: 'row' }, `${name}:`,
    el('a', { href: `/api/v1/fleet/export/${name}.csv` }, 'CSV'), el('a', { href: `/api/v1/fleet/export/${name}.json` }, 'JSON')));
  return [el('div', { class: 'card' }, ...rows)];
}

async function listed(page) {
  head(page.title, page.about);
  return [table(await ask(page.api), page.columns, page.title)];
}

function page() {
  if (path.startsWith('/fleet/host/')) return one(decodeURIComponent(path.slice('/fleet/host/'.length)));
  const pages = { '/fleet': fleet, '/fleet/changes': changes, '/fleet/search': searched, '/fleet/compare': compared, '/fleet/export': exported };
  return pages[path] ? pages[path]() : listed(TABLES[path]);
}

begin(path);
page().then((parts) => fill(content, parts), (error) => {
  fill(content, el('p', { class: 'note' }, `There is no answer: ${error.message}`));
});

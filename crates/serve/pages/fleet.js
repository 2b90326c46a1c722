// One page for all questions: its path says which is asked. Names come from disks and hosts: only textContent is written.
import { CHANGED, CHANGED_RULES, CHANGES, DEVICES, FINDINGS, TABLES, WORST, ago, number, severity, time } from '/pages/fleet-tables.js';

const content = document.getElementById('content');
const path = location.pathname.replace(/\/$/, '') || '/fleet';
const query = new URLSearchParams(location.search);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== ''));
  return made;
}

async function ask(question) {
  const url = `/api/v1/fleet/${question}`;
  document.getElementById('api').href = url;
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error || `the server says ${answer.status}`);
  return body.answer;
}

function head(title, about = '') {
  document.getElementById('title').textContent = title;
  document.getElementById('about').textContent = about;
  document.title = `${title} · ioalign`;
}

function cell(column, row) {
  const value = column.value(row);
  const made = element('td', column.left ? { class: 'l name' } : {});
  if (typeof value !== 'object') made.textContent = value;
  else if (value.href) made.append(element('a', { href: value.href }, value.text));
  else made.append(element('span', { class: value.class }, value.text));
  return made;
}

function table(rows, columns, caption) {
  if (rows.length === 0) return element('p', { class: 'quiet' }, 'None.');
  const titles = columns.map((column) => element('th', { scope: 'col', class: column.left ? 'l' : '' }, column.title));
  const lines = rows.map((row) => element('tr', {}, ...columns.map((column) => cell(column, row))));
  const made = element('table', {}, element('caption', {}, caption), element('thead', {}, element('tr', {}, ...titles)), element('tbody', {}, ...lines));
  return element('div', { class: 'card wide', tabindex: '0', role: 'region', 'aria-label': caption }, made);
}

function tiles(list) {
  const made = list.map(([name, value, hint = '']) => element('div', { class: 'tile' }, element('dt', {}, name), element('dd', {}, value), element('small', {}, hint)));
  return element('dl', { class: 'tiles' }, ...made);
}

const section = (title, ...children) => element('section', {}, element('h2', {}, title), ...children);

async function fleet() {
  head('Fleet');
  const [all, worst] = [await ask('overview'), await ask('worst?rows=100')];
  document.getElementById('api').href = '/api/v1/fleet/overview';
  const bad = ['broken', 'data-risk', 'misaligned', 'suboptimal'].reduce((sum, word) => sum + (all.hosts_by_severity[word] || 0), 0);
  const words = Object.entries(all.hosts_by_severity).map(([word, hosts]) => `${number(hosts)} ${word}`).join(', ');
  if (all.hosts === 0) return [element('p', { class: 'note' }, 'No host has pushed yet: ioalign push URL --token-file FILE')];
  return [tiles([['hosts', number(all.hosts), words], ['with a bad finding', number(bad)], ['silent for two days', number(all.silent_hosts)],
    ['I/Os a day in vain', number(all.extra_ios_per_day), `of ${number(all.profiled_hosts)} hosts with a profile`],
    ['last push', all.last_seen_seconds === null ? 'never' : ago(all.last_seen_seconds), `${number(all.reports)} in all`]]),
    section('Worst hosts', table(worst, WORST, 'Worst hosts first, at most 100'))];
}

async function one(name) {
  const found = await ask(`hosts/${encodeURIComponent(name)}`);
  head(found.host);
  const { text, class: kind } = severity(found.severity);
  const verdict = element('div', { class: `verdict ${kind}` }, element('strong', {}, text),
    element('p', {}, `${number(found.findings)} findings that count; last push ${ago(found.last_seen_seconds)}, first ${time(found.first_seen_seconds)} UTC`));
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
  head(`Report ${found.before} and ${found.after}`, 'Layers, grids and findings whose values differ.');
  return [table(found.changes, CHANGED, found.is_cut ? 'The first 1000 differences' : 'All differences')];
}

async function changes() {
  const days = Number(query.get('days')) || 7;
  head('What changed', `Findings that came and went in ${days} days.`);
  const links = [1, 7, 30, 90].map((choice) => element('a', { href: `/fleet/changes?days=${choice}` }, `${choice} d`));
  const found = await ask(`changes?days=${days}`);
  return [element('p', { class: 'row' }, ...links), tiles([['new hosts', number(found.new_hosts)], ['silent hosts', number(found.silent_hosts), `for ${days} days`]]),
    section('By rule', table(found.rules, CHANGED_RULES, 'Most new findings first')), section('Latest', table(found.latest, CHANGES, 'Newest first, at most 100'))];
}

async function searched() {
  const text = query.get('q') || '';
  document.getElementById('q').value = text;
  head(`Search: ${text}`, 'A part of a host name, a rule, or a part of a model.');
  const found = await ask(`search?q=${encodeURIComponent(text)}`);
  return [table(found, [...WORST, { title: 'found by', left: true, value: (row) => row.by }], 'At most 100 hosts')];
}

async function exported() {
  head('Export', 'Whole tables, as CSV for a spreadsheet and as JSON.');
  document.getElementById('api').href = '/api/v1/fleet/export/hosts.json';
  const rows = ['hosts', 'findings', 'claims'].map((name) => element('p', { class: 'row' }, `${name}:`,
    element('a', { href: `/api/v1/fleet/export/${name}.csv` }, 'CSV'), element('a', { href: `/api/v1/fleet/export/${name}.json` }, 'JSON')));
  return [element('div', { class: 'card' }, ...rows)];
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

for (const link of document.querySelectorAll('#nav a')) {
  if (link.getAttribute('href') === path) link.setAttribute('aria-current', 'page');
}
page().then((parts) => content.replaceChildren(...parts), (error) => {
  content.replaceChildren(element('p', { class: 'note' }, `There is no answer: ${error.message}`));
});

// The pages of a fleet that are tables: what each asks, and the columns that it shows.
// A column: its title, the value of a row, and whether it is text (left) or a number (right).

import { severity as shade } from '/pages/common.js';
import { about, percent, thousands } from '/pages/numbers.js';

const known = (say) => (value) => value === null || value === undefined ? 'not known' : say(value);
export const number = known((value) => value >= 1e4 ? thousands(value) : String(Math.round(value * 10) / 10));
export const share = known(percent);
export const bytes = known(about);
export const time = (seconds) => seconds === null ? 'never' : new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 16);
export const ago = (seconds, now = Date.now() / 1000) => {
  const past = Math.max(0, now - seconds);
  const [size, word] = past < 3600 ? [60, 'min'] : past < 172800 ? [3600, 'h'] : [86400, 'days'];
  return past < 60 ? 'now' : `${Math.floor(past / size)} ${word} ago`;
};
export const hosts = (value) => value === 1 ? '1 host' : `${number(value)} hosts`;
export const findings = ({ findings: bad, waived }) => `${bad === 1 ? '1 finding' : `${number(bad)} findings`}${waived > 0 ? `, ${number(waived)} waived` : ''}`;
export const severity = (word) => ({ text: word, class: shade(word)[1] });

const text = (title, value) => ({ title, value, left: true });
const prose = (title, value) => ({ ...text(title, value), long: true });
const count = (title, value) => ({ title, value: (row) => number(value(row)) });
const host = text('host', (row) => ({ text: row.host, href: `/fleet/host/${row.host_id}` }));
const rule = text('rule', (row) => ({ text: row.rule, href: `/fleet/search?q=${encodeURIComponent(row.rule)}` }));
const model = text('model', (row) => row.model === null ? 'not known' : { text: row.model, href: `/fleet/search?q=${encodeURIComponent(row.model)}` });
const firmware = text('firmware', (row) => row.firmware ?? 'not known');
const how = text('severity', (row) => severity(row.severity));

export const WORST = [host, how, { title: 'findings', value: (row) => row.waived > 0 ? `${number(row.findings)} (${number(row.waived)} waived)` : number(row.findings) }, count('I/Os a day', (row) => row.ios_per_day),
  count('of them in vain', (row) => row.extra_ios_per_day), { title: 'last seen', value: (row) => ago(row.last_seen_seconds) }];
export const FINDINGS = [{ ...rule }, how, text('layer', (row) => row.layer), { title: 'unit', value: (row) => row.unit_bytes === null ? '' : bytes(row.unit_bytes) },
  { title: 'off by', value: (row) => row.offset_bytes === null ? '' : bytes(row.offset_bytes) }, count('in vain a day', (row) => row.extra_ios_per_day),
  { title: 'since', value: (row) => time(row.since_seconds) }, text('waived until', (row) => row.waived_until ?? ''), prose('why', (row) => row.why)];
export const DEVICES = [text('disk', (row) => row.name), model, firmware, text('transport', (row) => row.transport ?? ''), { title: 'size', value: (row) => bytes(row.size_bytes) }];
export const CHANGED = [text('what', (row) => row.what), text('name', (row) => row.name), text('value', (row) => row.fact || 'all of it'),
  prose('before', (row) => row.before ?? 'not there'), prose('after', (row) => row.after ?? 'gone')];
export const CHANGES = [{ title: 'when', value: (row) => time(row.at_seconds) }, host, text('', (row) => row.appeared ? 'came' : 'went'), rule, how, text('layer', (row) => row.layer)];
export const CHANGED_RULES = [rule, how, count('came', (row) => row.appeared), count('went', (row) => row.gone)];

export const TABLES = {
  '/fleet/busy': { title: 'Misaligned and busy', about: 'Hosts with a profile, by the I/Os a day that became two at a boundary.', api: 'busy',
    columns: [host, how, count('in vain a day', (row) => row.extra_ios_per_day), count('I/Os a day', (row) => row.ios_per_day), { title: 'share', value: (row) => share(row.extra_ratio) }, count('findings', (row) => row.findings)] },
  '/fleet/gains': { title: 'What a fix saves', about: 'Findings that `ioalign fix` moves in place, by the I/Os a day that they cost.', api: 'gains',
    columns: [host, rule, how, text('layer', (row) => row.layer), count('saved a day', (row) => row.saved_ios_per_day), prose('why', (row) => row.why)] },
  '/fleet/rules': { title: 'Findings by rule', about: 'What is waived is counted apart.', api: 'rules',
    columns: [rule, how, count('hosts', (row) => row.hosts), count('findings', (row) => row.findings), count('waived', (row) => row.waived), count('in vain a day', (row) => row.extra_ios_per_day)] },
  '/fleet/models': { title: 'Findings by model', about: 'Disks below a bad finding.', api: 'models',
    columns: [model, firmware, how, count('hosts', (row) => row.hosts), count('findings', (row) => row.findings), count('in vain a day', (row) => row.extra_ios_per_day)] },
  '/fleet/claims': { title: 'Claims that lie', about: 'Sizes that disks report and that were not believed.', api: 'claims',
    columns: [model, firmware, text('transport', (row) => row.transport ?? ''), text('says of its', (row) => row.kind), { title: 'size', value: (row) => bytes(row.size_bytes) },
      count('hosts', (row) => row.hosts), count('of that model', (row) => row.hosts_of_model), prose('why not', (row) => row.why ?? '')] },
  '/fleet/ages': { title: 'Findings by age', about: 'Since when a bad finding is known.', api: 'ages',
    columns: [text('age', (row) => row.below_days === null ? `${row.from_days} days and more` : `${row.from_days} to ${row.below_days} days`), how, count('hosts', (row) => row.hosts), count('findings', (row) => row.findings)] },
  '/fleet/waivers': { title: 'Waivers', about: 'Findings that somebody accepts until a day. They are made with the token of an agent that may waive: see docs/fleet.md.', api: 'waivers',
    columns: [rule, text('host', (row) => row.host || 'all hosts'), text('layer', (row) => row.layer || 'all layers'), text('owner', (row) => row.owner), prose('reason', (row) => row.reason), text('last day', (row) => row.expires)] },
};

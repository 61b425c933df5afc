const secrets = readSecrets();
const flags = process.argv.slice(2);
const base = (flags.find((flag) => !flag.startsWith('--')) ?? repro.target).replace(/\/+$/, '');
const newTag = Math.random().toString(36).slice(2).padEnd(8, 'x').slice(0, repro.tag.length);
/** The records of this script by name, and where to delete them. */
const records = new Map();
const created = [];

const { hostname } = new URL(base);
const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
if (!isHere && !flags.includes('--write')) {
  console.error(`${base} is not on this machine and might hold real data. To let this script write, pass --write.`);
  process.exit(2);
}

console.log(`${repro.case}: ${repro.message}`);
let code = 2;
try {
  code = await replay();
} catch (error) {
  console.error(`Undecided: ${error.cause?.message ?? error.message}`);
} finally {
  await cleanUp();
}
process.exitCode = code;

async function replay() {
  const shown = [];
  for (const step of repro.steps) {
    const response = await send(step.method, filled(step.path), step.headers, step.body && filled(step.body));
    console.log(`${step.method} ${filled(step.path)} ${response.status}`);
    if (step.creates) note(step, response);
    if (step.shows) shown.push(response);
    // A write that is rejected now, or accepted, has another effect.
    if (step.shows && isSuccess(response) !== isSuccess(step.was)) break;
  }
  const before = repro.steps.filter((step) => step.shows);
  const last = shown.at(-1);
  console.log(`expected  ${repro.expected}\nfound     ${last.status} ${last.body.slice(0, 1000)}`);
  const isThere = isFault(before, shown);
  console.log(isThere ? 'The fault is there.' : 'The fault is not there.');
  return isThere ? 1 : 0;
}

/** Whether the responses show the fault: the status is not the expected one, or they are as they were. */
function isFault(before, shown) {
  const at = repro.status === undefined ? -1 : before.findLastIndex(({ was }) => was.status === repro.status);
  const { status } = shown.at(at) ?? shown.at(-1);
  const isExpected = repro.statuses.some((one) => one === status || one === Math.floor(status / 100));
  if (isExpected) return false;
  if (repro.onlyStatus && (status >= 500 || repro.statuses.includes(2))) return true;
  const now = createForm(Object.fromEntries(records), newTag, Date.now());
  const then = createForm(repro.records, repro.tag, Date.parse(repro.startedAt));
  return shown.length === before.length && shown.every((response, index) => {
    const { was, ...step } = before[index];
    const [a, b] = [JSON.stringify(now(response, step)), JSON.stringify(then(was, step))];
    if (process.env.DEBUG && a !== b) console.log(`NOW  ${a.slice(0, 1500)}\nTHEN ${b.slice(0, 1500)}`);
    return a === b;
  });
}

/**
 * Returns a function that leaves out what differs between two runs: IDs, the current time, and records of others. Records
 * have names, which stand for their IDs.
 */
function createForm(own, tag, time) {
  // If two records have one ID, it means the first one.
  const names = new Map(Object.entries(own).toReversed().map(([name, { id, model }]) => [`${model} ${id}`, name]));
  const others = new Map();
  return ({ body, headers, status }, { model, path }) => {
    if (status >= 400) return [status];
    const value = parse(body);
    const total = Object.entries(headers).find(([name]) => /total|count/i.test(name))?.[1];
    // The list is complete if it is shorter than a limit in the query.
    const isWhole = Array.isArray(value) && value.length > 0 && (path.match(/=\d+/g) ?? ['=Infinity']).some((limit) => limit.slice(1) > value.length);
    const rest = isWhole && total !== undefined ? Number(total) - value.length : undefined;
    return [status, rest, value === undefined ? 'not JSON' : bodyForm(value)];

    function bodyForm(value) {
      if (Array.isArray(value)) return value.some(isRecord) ? listForm(value) : value.map(bodyForm);
      if (isRecord(value)) return recordForm(value);
      if (value === null || typeof value !== 'object') return textForm(value);
      const lists = Object.values(value).filter((item) => Array.isArray(item) && item.some(isRecord));
      return Object.entries(value).map(([name, member]) => {
        // A number next to the records can be their total.
        const isTotal = lists.length === 1 && typeof member === 'number';
        return [name, isTotal ? member - lists[0].length : bodyForm(member)];
      });
    }

    /** Records of others count only by their shape and order, because the service can have others now. */
    function listForm(records) {
      const isOwn = (record) => names.has(`${model} ${record?.id}`);
      const foreign = records.filter((record) => !isOwn(record));
      const foreignIds = foreign.map((record) => record?.id);
      for (const id of foreignIds) if (!others.has(id)) others.set(id, others.size);
      const steps = foreignIds.slice(1).map((id, index) => Math.sign(id - foreignIds[index]));
      const isPage = path.includes('?') && records.length <= 3;
      return {
        own: records.filter(isOwn).map(recordForm),
        foreign: isPage ? foreignIds.map((id) => others.get(id)) : [...new Set(steps)].toSorted(),
        repeats: others.size < foreignIds.length || new Set(foreignIds).size < foreignIds.length,
        shapes: [...new Set(foreign.map((record) => JSON.stringify(shapeOf(record))))].toSorted(),
      };
    }

    function recordForm(record) {
      const id = names.get(`${model} ${record.id}`) ?? 'other';
      return [typeof record.id, id, ...membersOf(record).map((name) => [name, memberForm(record[name], name)])];
    }
  };

  function memberForm(value, key) {
    if (Array.isArray(value)) return value.map((item) => memberForm(item, key));
    if (value !== null && typeof value === 'object')
      return Object.keys(value)
        .toSorted()
        .map((name) => [name, name === 'id' ? typeof value.id : memberForm(value[name], name)]);
    const record = repro.links[key]?.map((to) => names.get(`${to} ${value}`)).find(Boolean);
    return record ?? textForm(value);
  }

  function textForm(value) {
    if (typeof value !== 'string') return value;
    if (/^\d{4}-\d\d-\d\d/.test(value) && Math.abs(Date.parse(value) - time) < 86_400_000) return 'now';
    return tag === '' ? value : value.replaceAll(tag, '*');
  }
}

function shapeOf(value) {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Array.isArray(value) ? 'list' : membersOf(value).map((name) => [name, shapeOf(value[name])]);
}

/** The members of a record that the failure is about. */
function membersOf(record) {
  const names = Object.keys(record).filter((name) => name !== 'id');
  return names.filter((name) => repro.field === undefined || name === repro.field).toSorted();
}

function isRecord(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && 'id' in value;
}

async function send(method, path, headers, body) {
  const init = { method, headers: { ...headers, ...secrets }, redirect: 'manual', signal: AbortSignal.timeout(20_000) };
  const response = await fetch(base + path, body === undefined ? init : { ...init, body });
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

function note({ creates, id, model, path }, response) {
  if (!isSuccess(response)) return;
  const found = id.split('/').slice(1).reduce((value, key) => value?.[key], parse(response.body));
  if (found === undefined || found === null) return;
  records.set(creates, { model, id: found });
  created.push(`${filled(path).split('?')[0]}/${encodeURIComponent(found)}`);
}

/** Deletes the created records, the newest first. */
async function cleanUp() {
  const left = [];
  for (const path of created.toReversed()) {
    const response = await send('DELETE', path, {}).catch(() => undefined);
    if (response === undefined || (!isSuccess(response) && ![404, 410].includes(response.status))) left.push(path);
  }
  console.log(`Deleted ${created.length - left.length} of ${created.length} created records.`);
  for (const path of left) console.error(`Not deleted: ${path}`);
}

/** Puts the IDs of this run into a text. */
function filled(text) {
  return text
    .replaceAll(/"\{\{#(\w+)\}\}"|\{\{(\w+)\}\}/g, (all, number, name) => {
      const { id } = records.get(number ?? name) ?? {};
      if (id === undefined) throw new Error(`the record ${number ?? name} could not be created`);
      return id ?? all;
    })
    .replaceAll(repro.tag || '\u0000', newTag);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSuccess({ status }) {
  return status >= 200 && status < 300;
}

/** Returns the headers with the credentials of the environment. */
function readSecrets() {
  const { RECORD_MODEL_API_KEY: key, RECORD_MODEL_BASIC: basic, RECORD_MODEL_BEARER: bearer } = process.env;
  const at = key?.indexOf('=') ?? -1;
  return {
    ...(key && (at === -1 ? { 'X-Api-Key': key } : { [key.slice(0, at)]: key.slice(at + 1) })),
    ...(basic && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
  };
}

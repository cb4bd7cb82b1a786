// Fifty concurrent callers on two nodes that share a database. Nothing is created twice, no update is lost, no version
// is missing, and no response is 500 (decisions E1, E4).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTwoEngines } from '#test/support/engine/engine.ts';
import { atOnce } from '#test/support/system/at-once.ts';

const { one: first, two: second } = await startTwoEngines({ after });
const nodes = [first.app, second.app];
const CALLERS = 50;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends it to one of the nodes. */
async function send(turn: number, { method, path, body, headers = {} }: Asked): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json';
  const answer = await nodes[turn % nodes.length]?.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: 'Bearer admin', ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  assert.ok(answer);
  const { statusCode: status, payload } = answer;
  return { status, headers: answer.headers, body: payload === '' ? undefined : JSON.parse(payload) };
}

async function race(make: (turn: number) => Asked): Promise<Answer[]> {
  const answers = await atOnce(Array.from({ length: CALLERS }, (_, turn) => () => send(turn, make(turn))));
  for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body));
  return answers;
}

function count(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

const person = (word: string, more: object = {}) => ({
  resourceType: 'Patient',
  identifier: [{ system: 'urn:race', value: word }],
  ...more,
});

/** The versions that the history lists, oldest first. */
async function versionsOf(address: string): Promise<number[]> {
  const { body } = await send(0, { method: 'GET', path: `/${address}/_history?_count=1000` });
  return body.entry
    .map(({ response }: { response: { etag: string } }) => Number(/\d+/.exec(response.etag)?.[0]))
    .sort((a: number, b: number) => a - b);
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

test('of conditional creates one creates', async () => {
  const headers = { 'if-none-exist': 'identifier=urn:race|create' };
  const answers = await race(() => ({ method: 'POST', path: '/Patient', body: person('create'), headers }));
  assert.deepEqual([count(answers, 201), count(answers, 200)], [1, CALLERS - 1]);
  assert.equal((await send(1, { method: 'GET', path: '/Patient?identifier=urn:race|create' })).body.total, 1);
});

test('of conditional updates one creates, and each of the others makes a version', async () => {
  const path = '/Patient?identifier=urn:race|update';
  const answers = await race(() => ({ method: 'PUT', path, body: person('update') }));
  assert.deepEqual([count(answers, 201), count(answers, 200)], [1, CALLERS - 1]);
  const { body } = await send(0, { method: 'GET', path });
  assert.equal(body.total, 1);
  assert.deepEqual(await versionsOf(`Patient/${body.entry[0].resource.id}`), upTo(CALLERS));
});

test('of creates under the same id one creates, and each of the others makes a version', async () => {
  const answers = await race((turn) => ({
    method: 'PUT',
    path: '/Patient/same',
    body: person(`n${turn}`, { id: 'same' }),
  }));
  assert.deepEqual([count(answers, 201), count(answers, 200)], [1, CALLERS - 1]);
  assert.deepEqual(await versionsOf('Patient/same'), upTo(CALLERS));
  // Only the last one is found.
  const { body } = await send(1, { method: 'GET', path: '/Patient/same' });
  const total = async (word: string) =>
    (await send(0, { method: 'GET', path: `/Patient?identifier=urn:race|${word}` })).body.total;
  const found = await Promise.all(Array.from({ length: CALLERS }, (_, turn) => total(`n${turn}`)));
  assert.deepEqual(
    found.filter((one) => one > 0),
    [1],
  );
  assert.equal(await total(body.identifier[0].value), 1);
});

test('of updates that name the same version one is carried out', async () => {
  await send(0, { method: 'PUT', path: '/Patient/version', body: person('version', { id: 'version' }) });
  const headers = { 'if-match': 'W/"1"' };
  const answers = await race((turn) =>
    turn % 3 === 0
      ? {
          method: 'PATCH',
          path: '/Patient/version',
          body: [{ op: 'add', path: '/active', value: true }] as object,
          headers,
        }
      : { method: 'PUT', path: '/Patient/version', body: person('version', { id: 'version' }), headers },
  );
  assert.deepEqual([count(answers, 200), count(answers, 412)], [1, CALLERS - 1]);
  assert.deepEqual(await versionsOf('Patient/version'), [1, 2]);
});

test('who reads, changes and writes with the version that was read loses nothing', async () => {
  const start = await send(0, { method: 'PUT', path: '/Patient/sum', body: person('sum', { id: 'sum' }) });
  assert.ok(start.status < 300);
  const add = async (turn: number): Promise<void> => {
    const { body } = await send(turn, { method: 'GET', path: '/Patient/sum' });
    const given = [...(body.name?.[0]?.given ?? []), `g${turn}`];
    const headers = { 'if-match': `W/"${body.meta.versionId}"` };
    const changed = { ...person('sum', { id: 'sum' }), name: [{ given }] };
    const { status } = await send(turn + 1, { method: 'PUT', path: '/Patient/sum', body: changed, headers });
    assert.ok(status === 200 || status === 412);
    if (status === 412) await add(turn);
  };
  await Promise.all(Array.from({ length: 12 }, (_, turn) => add(turn)));
  const { body } = await send(0, { method: 'GET', path: '/Patient/sum' });
  assert.deepEqual([...body.name[0].given].sort(), Array.from({ length: 12 }, (_, turn) => `g${turn}`).sort());
});

test('deletions, updates and patches of one resource leave a history without gaps', async () => {
  await send(0, { method: 'PUT', path: '/Patient/mixed', body: person('mixed', { id: 'mixed' }) });
  const kinds: readonly Asked[] = [
    { method: 'DELETE', path: '/Patient/mixed' },
    { method: 'PUT', path: '/Patient/mixed', body: person('mixed', { id: 'mixed' }) },
    { method: 'PATCH', path: '/Patient/mixed', body: [{ op: 'add', path: '/active', value: true }] },
    { method: 'DELETE', path: '/Patient?identifier=urn:race|mixed' },
  ];
  const answers = await race((turn) => kinds[turn % kinds.length] ?? assert.fail());
  const allowed = new Set([200, 201, 204, 410, 404]);
  assert.deepEqual(
    answers.filter(({ status }) => !allowed.has(status)),
    [],
  );
  const versions = await versionsOf('Patient/mixed');
  assert.deepEqual(versions, upTo(versions.length));
  const { status } = await send(1, { method: 'GET', path: '/Patient/mixed' });
  const { total } = (await send(1, { method: 'GET', path: '/Patient?identifier=urn:race|mixed' })).body;
  assert.deepEqual([status, total], status === 200 ? [200, 1] : [410, 0]);
});

test('bundles with the same conditions make each thing once', async () => {
  const words = ['x', 'y', 'z'];
  const entryOf = (word: string) => ({
    resource: person(word),
    request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=urn:race|${word}` },
  });
  const answers = await race((turn) => ({
    method: 'POST',
    path: '/',
    body: {
      resourceType: 'Bundle',
      type: turn % 2 === 0 ? 'batch' : 'transaction',
      entry: words.map((_, index) => entryOf(words[(index + turn) % words.length] ?? '')),
    },
  }));
  assert.equal(count(answers, 200), CALLERS);
  const made = answers.flatMap(({ body }) =>
    body.entry.map(({ response }: { response: { status: string } }) => response.status),
  );
  assert.equal(made.filter((status) => status.startsWith('201')).length, words.length);
  assert.equal(made.filter((status) => status.startsWith('200')).length, words.length * (CALLERS - 1));
});

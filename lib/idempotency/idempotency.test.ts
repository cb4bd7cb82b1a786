// Idempotency-Key over two nodes on one database: a repeat gets the first response, and the effect happens once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Type from 'typebox';
import type { Database } from '#lib/db/database.ts';
import { unavailable } from '#lib/db/failure.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { DAY_MS } from '../clock.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { idempotencyMigrations } from './migrations.ts';

const LEASE_MS = 30_000;
const created = await createTestDatabase(
  { after },
  {
    schemas: [
      { schema: 'keys', migrations: [idempotencyMigrations] },
      { schema: 'peer', migrations: [idempotencyMigrations] },
    ],
  },
);
const database = created.database('keys');
await database.query('CREATE TABLE thing (name text NOT NULL)');
let now = Date.UTC(2026, 0, 1);
const clock = { now: () => now };
const logLines: string[] = [];
const callers = {
  anna: makePrincipal(['admin'], { id: 'anna' }),
  bo: makePrincipal(['admin'], { id: 'bo' }),
};
const Body = Type.Object(
  { name: Type.String(), status: Type.Optional(Type.Integer()), padding: Type.Optional(Type.Integer()) },
  { additionalProperties: false },
);
/** Called in the handler: before anything is written, in its transaction, and after the commit. */
const moments: { before?: () => Promise<void>; within?: () => Promise<void>; after?: () => Promise<void> } = {};

interface Node {
  readonly app: HttpApp;
  readonly idempotency: Idempotency;
}

/** When set, a commit succeeds but its result is lost. */
let isNewsLost = false;
const unsteady: Database = {
  ...database,
  async transaction(work, options) {
    const result = await database.transaction(work, options);
    if (isNewsLost) throw unavailable(new Error('Connection terminated'));
    return result;
  },
};

async function startNode(): Promise<Node> {
  const options = {
    database: unsteady,
    clock,
    log: makeTestLogger(logLines),
    masterKeys: fixedKeys(Buffer.alloc(32, 5)),
  };
  const idempotency = createIdempotency(options);
  const app = await makeTestApp(callers);
  idempotency.register(app);
  const addRoute = (path: string, permission: 'public' | 'directory:administer', isIdempotent: boolean) =>
    app.post(
      path,
      { config: { permission, idempotent: isIdempotent }, schema: { body: Body } },
      async (request, reply) => {
        const { name, status = 201, padding = 0 } = request.body;
        await moments.before?.();
        await idempotency.database.transaction(async (tx) => {
          if (status >= 400 && status < 500) throw new ServiceError('conflict', 'No such thing');
          await tx.query('INSERT INTO thing (name) VALUES ($1)', [name]);
          await moments.within?.();
          if (status === 503) throw new ServiceError('unavailable', 'Away');
        });
        await moments.after?.();
        const answer = { thing_guid: newGuid(), name, padding: 'x'.repeat(padding) };
        return reply.code(status).header('location', `/things/${name}`).header('x-other', 'of the moment').send(answer);
      },
    );
  addRoute('/things', 'directory:administer', true);
  addRoute('/others', 'directory:administer', true);
  addRoute('/public', 'public', true);
  addRoute('/plain', 'directory:administer', false);
  await app.ready();
  after(() => app.close());
  return { app, idempotency };
}

const nodes = [await startNode(), await startNode()] as const;

interface Call {
  readonly key?: string | undefined;
  readonly body?: { name: string; status?: number; padding?: number };
  readonly as?: string;
  readonly url?: string;
  readonly node?: 0 | 1;
  readonly headers?: Readonly<Record<string, string>>;
}

let made = 0;
const newName = () => {
  made += 1;
  return `thing ${made}`;
};

function send({ key, body = { name: 'x' }, as = 'anna', url = '/things', node = 0, headers = {} }: Call) {
  const given = key === undefined ? {} : { 'idempotency-key': key };
  const authorization = `Bearer ${as}`;
  return nodes[node].app.inject({
    method: 'POST',
    url,
    headers: { authorization, ...given, ...headers },
    payload: body,
  });
}

async function countThings(name: string): Promise<number> {
  return (await database.query('SELECT FROM thing WHERE name = $1', [name])).rowCount;
}

/** Holds the handler at a moment until `release`. */
function holdAt(moment: keyof typeof moments) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  moments[moment] = async () => {
    delete moments[moment];
    reached.resolve();
    await released.promise;
  };
  return { reached: reached.promise, release: released.resolve };
}

test('a repeat gets the first response again, on any node, and has no effect', async () => {
  const name = newName();
  const first = await send({ key: 'key-1', body: { name } });
  const again = await send({ key: 'key-1', body: { name }, node: 1 });
  assert.equal(first.statusCode, 201);
  assert.equal(first.headers['idempotency-replayed'], undefined);
  assert.deepEqual([again.statusCode, again.body], [201, first.body]);
  assert.equal(again.headers['idempotency-replayed'], 'true');
  for (const header of ['location', 'content-type']) assert.equal(again.headers[header], first.headers[header]);
  assert.equal(again.headers['x-other'], undefined);
  assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id']);
  assert.equal(await countThings(name), 1);
});

test('without the header, and on a route that is not marked, every request counts', async () => {
  const name = newName();
  for (const call of [{}, {}, { key: 'plain', url: '/plain' }, { key: 'plain', url: '/plain' }]) {
    assert.equal((await send({ ...call, body: { name } })).statusCode, 201);
  }
  assert.equal(await countThings(name), 4);
  const { rowCount } = await database.query('SELECT FROM idempotency_key WHERE expires_at > $1', [new Date(now)]);
  assert.equal(rowCount, 1, 'only the key of the test before');
});

test('another body, query or condition with the same key is 422', async () => {
  const [name, key] = [newName(), 'key-2'];
  await send({ key, body: { name } });
  for (const other of [
    { body: { name: newName() } },
    { body: { name }, url: '/things?all=1' },
    { body: { name }, headers: { 'if-none-exist': 'name=x' } },
  ]) {
    const answer = await send({ key, ...other });
    assert.deepEqual([answer.statusCode, answer.json().error], [422, 'unprocessable']);
  }
  assert.equal(await countThings(name), 1);
});

test('keys are separate for each caller and each address', async () => {
  const [name, key] = [newName(), 'key-3'];
  const calls = [{}, { as: 'bo' }, { url: '/others' }, { url: '/public' }];
  const answers = await Promise.all(calls.map((call) => send({ key, body: { name }, ...call })));
  assert.ok(answers.every(({ statusCode, headers }) => statusCode === 201 && !headers['idempotency-replayed']));
  assert.equal(await countThings(name), 4);
});

test('a caller without an account gets the first response only with the same body', async () => {
  const [name, key] = [newName(), 'key-4'];
  const first = await send({ key, body: { name }, url: '/public' });
  const again = await send({ key, body: { name }, url: '/public', node: 1 });
  assert.deepEqual([again.statusCode, again.body], [201, first.body]);
  const stranger = await send({ key, body: { name: `${name}!` }, url: '/public' });
  assert.equal(stranger.statusCode, 422);
  assert.ok(!stranger.body.includes(first.json().thing_guid));
});

test('while the first request runs, a repeat is 409 with Retry-After; afterwards it gets the response', async () => {
  const call = { key: 'key-5', body: { name: newName() } };
  const hold = holdAt('before');
  const first = send(call);
  await hold.reached;
  const meanwhile = await send({ ...call, node: 1 });
  assert.deepEqual([meanwhile.statusCode, meanwhile.json().error], [409, 'conflict']);
  assert.equal(meanwhile.headers['retry-after'], '1');
  hold.release();
  const { body } = await first;
  assert.equal((await send({ ...call, node: 1 })).body, body);
});

test('50 at once on two nodes: one effect, and each response is that of the first or 409', async () => {
  for (const url of ['/things', '/public']) {
    const call = { key: `race ${url}`.replace(' ', '-'), body: { name: newName() }, url };
    const answers = await fifty((index) => send({ ...call, node: index % 2 === 0 ? 0 : 1 }));
    const [winner, ...others] = answers.filter(({ statusCode }) => statusCode === 201);
    assert.ok(winner !== undefined);
    assert.ok(others.every(({ body }) => body === winner.body));
    assert.ok(answers.every(({ statusCode }) => statusCode === 201 || statusCode === 409));
    assert.equal(await countThings(call.body.name), 1);
  }
});

test('a 4xx or 5xx without an effect is not stored: the repeat is carried out, also with another body', async () => {
  for (const status of [409, 503]) {
    const call = { key: `refused-${status}`, body: { name: newName(), status } };
    assert.equal((await send(call)).statusCode, status);
    assert.equal((await send(call)).statusCode, status);
    const right = await send({ ...call, body: { name: call.body.name } });
    assert.deepEqual([right.statusCode, right.headers['idempotency-replayed']], [201, undefined]);
    assert.equal(await countThings(call.body.name), 1);
  }
  assert.equal((await send({ key: 'unread', body: { name: 'x', extra: 1 } as never })).statusCode, 400);
  assert.equal((await send({ key: 'unread' })).statusCode, 201);
});

test('a refusal after an effect is stored; a failure after one is not, and its repeat has no effect either', async () => {
  const fail = (error: Error) => async () => {
    delete moments.after;
    throw error;
  };
  const refused = { key: 'half-refused', body: { name: newName() } };
  moments.after = fail(new ServiceError('forbidden', 'Half done'));
  assert.equal((await send(refused)).statusCode, 403);
  const again = await send(refused);
  assert.deepEqual([again.statusCode, again.json().message], [403, 'Half done']);
  const failed = { key: 'half-failed', body: { name: newName() } };
  moments.after = fail(new Error('a bug'));
  assert.equal((await send(failed)).statusCode, 500);
  assert.equal((await send(failed)).headers['retry-after'], '1');
  now += LEASE_MS;
  const lost = await send(failed);
  assert.deepEqual([lost.statusCode, lost.headers['retry-after']], [409, undefined]);
  assert.match(lost.json().message, /took effect/);
  for (const { name } of [refused.body, failed.body]) assert.equal(await countThings(name), 1);
});

test('an attempt that crashed before its effect blocks until its lease ends; one that only hung cannot commit then', async () => {
  const call = { key: 'hung', body: { name: newName() } };
  const hold = holdAt('before');
  const hung = send(call);
  await hold.reached;
  now += LEASE_MS - 1;
  assert.equal((await send({ ...call, node: 1 })).statusCode, 409);
  now += 1;
  assert.equal(
    (await send({ ...call, body: { name: 'other' }, node: 1 })).statusCode,
    422,
    'only the same may take over',
  );
  const second = await send({ ...call, node: 1 });
  assert.equal(second.statusCode, 201);
  hold.release();
  assert.equal((await hung).statusCode, 409);
  assert.equal(await countThings(call.body.name), 1);
  assert.equal((await send(call)).body, second.body, 'what hung has not replaced the answer');
});

test('a lease that ends during the commit of the effect admits no other attempt', async () => {
  const call = { key: 'slow', body: { name: newName() } };
  const hold = holdAt('after');
  const slow = send(call);
  await hold.reached;
  now += LEASE_MS;
  assert.match((await send({ ...call, node: 1 })).json().message, /took effect/);
  hold.release();
  const first = await slow;
  assert.equal((await send({ ...call, node: 1 })).body, first.body, 'the answer came late, and is kept');
  assert.equal(await countThings(call.body.name), 1);
});

test('a commit whose result did not reach the node counts by the database', async () => {
  const call = { key: 'unheard', body: { name: newName() } };
  isNewsLost = true;
  assert.equal((await send(call)).statusCode, 503);
  isNewsLost = false;
  assert.equal((await send({ ...call, node: 1 })).statusCode, 409);
  now += LEASE_MS;
  assert.match((await send(call)).json().message, /took effect/);
  assert.equal(await countThings(call.body.name), 1);
});

test('a statement outside of a transaction is one of its own', async () => {
  const { idempotency } = nodes[0];
  const call = { key: 'alone', body: { name: newName() } };
  moments.before = async () => {
    delete moments.before;
    await idempotency.database.query('INSERT INTO thing (name) VALUES ($1)', [call.body.name]);
    throw new ServiceError('unavailable', 'Away');
  };
  assert.equal((await send(call)).statusCode, 503);
  assert.equal((await send(call)).statusCode, 409);
  assert.equal(await countThings(call.body.name), 1);
  const overtaken = { key: 'alone-and-slow', body: { name: newName() } };
  const hold = holdAt('before');
  const slow = send(overtaken);
  await hold.reached;
  now += LEASE_MS;
  assert.equal((await send({ ...overtaken, node: 1 })).statusCode, 201);
  moments.within = async () => {
    delete moments.within;
    await idempotency.database.query({ name: 'insert-thing', text: 'INSERT INTO thing (name) VALUES ($1)' }, [
      overtaken.body.name,
    ]);
  };
  hold.release();
  assert.equal((await slow).statusCode, 409);
  assert.equal(await countThings(overtaken.body.name), 1);
});

test('a transaction that only reads is no effect', async () => {
  const { idempotency } = nodes[0];
  const call = { key: 'looks', body: { name: newName() } };
  moments.before = async () => {
    delete moments.before;
    await idempotency.database.query('SELECT 1');
    await idempotency.database.transaction((tx) => tx.query('SELECT 1'));
    await idempotency.database.transaction((tx) => tx.query('SELECT 1'), { readOnly: true });
    throw new ServiceError('unavailable', 'Away');
  };
  assert.equal((await send(call)).statusCode, 503);
  assert.equal((await send(call)).statusCode, 201);
});

test('after a day a key is new, and the sweep forgets it', async () => {
  const call = { key: 'old', body: { name: newName() } };
  const first = await send(call);
  now += DAY_MS - 1;
  assert.equal((await send(call)).body, first.body);
  await nodes[0].idempotency.sweep();
  now += 1;
  assert.notEqual((await send({ ...call, body: { ...call.body, status: 200 } })).body, first.body);
  assert.equal(await countThings(call.body.name), 2);
  now += DAY_MS;
  await nodes[1].idempotency.sweep();
  assert.equal((await database.query('SELECT FROM idempotency_key')).rowCount, 0);
});

test('a key has 1 to 255 visible ASCII characters', async () => {
  for (const key of ['', ' ', 'a b', 'å', 'a'.repeat(256), 'a,b\tc']) {
    const answer = await send({ key });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'validation_error'], JSON.stringify(key));
    assert.match(answer.json().messages[0], /'Idempotency-Key'/);
  }
  for (const key of ['!', '~', 'a'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"']) {
    assert.equal((await send({ key })).statusCode, 201, key);
  }
});

test('the table reveals nothing, and a large body is not stored', async () => {
  const call = { key: 'a-telling-key', body: { name: 'personnummer 19121212-1212', padding: 10 * 1024 * 1024 } };
  const first = await send(call);
  assert.equal(first.statusCode, 201);
  const again = await send(call);
  assert.deepEqual([again.statusCode, again.body, again.headers.location], [201, '', first.headers.location]);
  const small = { key: 'another-key', body: { name: 'personnummer 19121212-1212' } };
  await send(small);
  const { rows } = await database.query<Record<string, unknown>>('SELECT * FROM idempotency_key');
  const bytes = rows
    .flatMap((row) => Object.values(row))
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)));
  for (const word of ['telling', 'another-key', '19121212', 'thing_guid', 'anna', '/things']) {
    assert.ok(!bytes.some((text) => text.includes(word)), word);
  }
  assert.ok(!logLines.join('').includes('19121212'));
});

test('another service of the process, which is called meanwhile, writes by itself', async () => {
  const peer = createIdempotency({
    database: created.database('peer'),
    clock,
    log: makeTestLogger(logLines),
    masterKeys: fixedKeys(Buffer.alloc(32, 6)),
  });
  moments.before = async () => {
    delete moments.before;
    await peer.database.query('CREATE TABLE IF NOT EXISTS record (name text NOT NULL)');
    await peer.database.query('INSERT INTO record (name) VALUES ($1)', ['looked']);
  };
  const answer = await send({ key: newGuid(), body: { name: newName() } });
  assert.equal(answer.statusCode, 201, answer.payload);
});

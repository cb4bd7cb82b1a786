// Push: which local changes are sent, and which conflicts are reported. The tests control the search, versions and
// refusals of the server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { answerFhir, startMisbehavingServer } from '#test/support/fhir/misbehaving-server.ts';
import { eventually } from '#test/support/http.ts';

const near = await startTestEngine({ after }, { serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] } });
const { call, clock, engine } = near;
const wayward = await startMisbehavingServer({ after });
await engine.start();

interface Kept {
  version: number;
  text: string | undefined;
}

/** A server that honours If-Match and If-None-Match. What its search finds is what `indexed` says, else what it has. */
class Far {
  readonly kept = new Map<string, Kept>();
  indexed: Map<string, Kept> | undefined;
  /** What it makes of what it stores. */
  rewrite: ((text: string) => string) | undefined;
  /** What it answers a write instead. */
  refusal: ((id: string, method: string) => number | undefined) | undefined;

  freezeIndex(): void {
    this.indexed = new Map([...this.kept].map(([id, kept]) => [id, { ...kept }]));
  }

  write(id: string, text: string | undefined): void {
    this.kept.set(id, { version: (this.kept.get(id)?.version ?? 0) + 1, text });
  }

  resource(id: string, { version, text }: Kept): object {
    return { ...JSON.parse(text ?? '{}'), id, meta: { versionId: String(version) } };
  }

  serve(): void {
    wayward.behave(({ method, url, headers, body }, response) => {
      const { pathname, searchParams } = new URL(url, wayward.url);
      const id = /\/\w+\/([^/]+)$/.exec(pathname.replace(/^\/fhir\/[\w-]+/, ''))?.[1];
      if (id === undefined) return answerFhir(response, this.search(searchParams.get('_id')?.split(',') ?? []));
      const now = this.kept.get(id);
      const isThere = now?.text !== undefined;
      if (method === 'GET')
        return isThere ? answerFhir(response, this.resource(id, now)) : void response.writeHead(now ? 410 : 404).end();
      const refused = this.refusal?.(id, method);
      if (refused !== undefined) return void response.writeHead(refused).end();
      const isOvertaken = headers['if-match'] !== undefined && headers['if-match'] !== `W/"${now?.version}"`;
      if (isOvertaken || (headers['if-none-match'] === '*' && isThere)) return void response.writeHead(412).end();
      this.write(id, method === 'DELETE' ? undefined : (this.rewrite?.(body) ?? body));
      if (this.rewrite !== undefined && method === 'PUT' && /representation/.test(String(headers['prefer'])))
        return answerFhir(response, this.resource(id, this.kept.get(id) ?? { version: 0, text: undefined }));
      response.writeHead(isThere ? 200 : 201).end();
    });
  }

  search(ids: readonly string[]): object {
    const index = this.indexed ?? this.kept;
    const found = ids.flatMap((id) => {
      const kept = index.get(id);
      return kept?.text === undefined ? [] : [{ resource: this.resource(id, kept) }];
    });
    return { resourceType: 'Bundle', type: 'searchset', entry: found };
  }

  code(id: string): string | undefined {
    const text = this.kept.get(id)?.text;
    return text === undefined ? undefined : JSON.parse(text).code.text;
  }
}

let made = 0;
async function begin(): Promise<{ far: Far; server: string; of: (id: string) => string }> {
  made += 1;
  const server = `push-${made}`;
  const url = `${wayward.url}/${server}`;
  assert.equal((await call('admin', 'POST', '/servers', { name: server, url, timeout_ms: 5000 })).status, 201);
  const far = new Far();
  far.serve();
  const { rows } = await near.database.query<{ id: string }>('SELECT id FROM fhir_resource WHERE NOT deleted');
  for (const { id } of rows) await call('admin', 'DELETE', `/Basic/${id}`);
  return { far, server, of: (id) => `${server}-${id}` };
}

async function run(server: string, input: object = {}) {
  const body = { server, resource_types: ['Basic'], direction: 'push', ...input };
  const { job_guid: guid } = (await call('admin', 'POST', '/synchronize', body)).body;
  const done = await eventually('the job ended', async () => {
    clock.time += 1_000;
    engine.wake();
    const answer = await call('admin', 'GET', `/synchronize/${guid}`);
    return answer.body.state === 'running' ? undefined : answer.body;
  });
  assert.deepEqual([done.state, done.fault], ['done', null]);
  const conflicts = done.conflicts.map(({ id, kind }: { id: string; kind: string }) => `${id} ${kind}`);
  return { ...done, push: done.counts.push, conflicts, messages: JSON.stringify(done.conflicts) };
}

const NONE = { read: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0, conflicts: 0 };

async function put(id: string, text: string): Promise<string> {
  const answer = await call('admin', 'PUT', `/Basic/${id}`, { resourceType: 'Basic', id, code: { text } });
  assert.ok(answer.status < 300, answer.text);
  return answer.body.meta.lastUpdated;
}

test('since takes what was changed at that very moment, a deletion too', async () => {
  const { far, server, of } = await begin();
  await put(of('a'), 'A');
  await put(of('b'), 'B');
  assert.deepEqual((await run(server)).push, { ...NONE, read: 2, created: 2 });
  clock.time += 60_000;
  const since = await put(of('a'), 'A2');
  await call('admin', 'DELETE', `/Basic/${of('b')}`);
  const done = await run(server, { since });
  assert.deepEqual(done.push, { ...NONE, read: 2, updated: 1, deleted: 1 });
  assert.deepEqual([far.code(of('a')), far.code(of('b'))], ['A2', undefined]);
  const later = new Date(Date.parse(since) + 1).toISOString();
  assert.deepEqual((await run(server, { since: later })).push, NONE);
});

test('a change goes there although the search does not find the resource yet, or finds an older version', async () => {
  const { far, server, of } = await begin();
  far.indexed = new Map();
  await put(of('new'), '1');
  assert.equal((await run(server)).push.created, 1);
  await put(of('new'), '2');
  assert.deepEqual((await run(server)).push, { ...NONE, read: 1, updated: 1 });
  far.freezeIndex();
  for (const text of ['3', '4']) {
    await put(of('new'), text);
    const done = await run(server);
    assert.deepEqual([done.push, done.conflicts], [{ ...NONE, read: 1, updated: 1 }, []], text);
  }
  assert.equal(far.code(of('new')), '4');
});

test('a new version of the same content there, between comparison and write, does not hold ours up', async () => {
  const { far, server, of } = await begin();
  await put(of('a'), '1');
  await run(server);
  await put(of('a'), '2');
  let times = 0;
  far.refusal = (id) => {
    times += 1;
    if (times > 1) return undefined;
    far.write(id, far.kept.get(id)?.text);
    return 412;
  };
  assert.deepEqual((await run(server)).push, { ...NONE, read: 1, updated: 1 });
  assert.deepEqual([far.code(of('a')), times], ['2', 2]);
});

test('what was deleted here and is still there, though they never had the same, is named', async () => {
  const { far, server, of } = await begin();
  await put(of('a'), '1');
  far.write(of('a'), JSON.stringify({ resourceType: 'Basic', code: { text: '1' } }));
  await call('admin', 'DELETE', `/Basic/${of('a')}`);
  for (const input of [{}, { dry_run: true }]) {
    const done = await run(server, input);
    assert.deepEqual([done.push, done.conflicts], [{ ...NONE, read: 1, conflicts: 1 }, [`${of('a')} deleted_here`]]);
  }
  assert.equal(far.code(of('a')), '1');
  far.freezeIndex();
  far.write(of('a'), undefined);
  assert.deepEqual((await run(server)).push, NONE, 'the search alone still finds it');
});

test('what the server really changed or deleted stays as it is, and is named', async () => {
  const { far, server, of } = await begin();
  for (const id of ['changed', 'between', 'gone', 'lost']) await put(of(id), '1');
  await run(server);
  for (const id of ['changed', 'between', 'gone', 'lost']) await put(of(id), '2');
  far.write(of('changed'), JSON.stringify({ resourceType: 'Basic', code: { text: 'there' } }));
  far.write(of('gone'), undefined);
  far.kept.delete(of('lost'));
  far.refusal = (id) => {
    if (id !== of('between')) return undefined;
    far.write(id, JSON.stringify({ resourceType: 'Basic', code: { text: 'meanwhile' } }));
    return 412;
  };
  const done = await run(server);
  assert.deepEqual(done.push, { ...NONE, read: 4, conflicts: 4 });
  assert.deepEqual(done.conflicts, [
    `${of('between')} both_changed`,
    `${of('changed')} both_changed`,
    `${of('gone')} deleted_there`,
    `${of('lost')} deleted_there`,
  ]);
  assert.deepEqual([far.code(of('changed')), far.code(of('between'))], ['there', 'meanwhile']);
});

test('each write that the server refuses is named with its status, and is sent again by the next job', async () => {
  const { far, server, of } = await begin();
  const statuses = [400, 404, 405, 409, 412, 413, 422, 428];
  for (const status of statuses) await put(of(String(status)), '1');
  await put(of('fine'), '1');
  far.refusal = (id) => statuses.find((status) => id === of(String(status)));
  const done = await run(server);
  assert.deepEqual(done.push, { ...NONE, read: 9, created: 1, conflicts: 8 });
  for (const status of statuses) {
    assert.ok(done.conflicts.includes(`${of(String(status))} refused_there`), String(status));
    assert.match(done.messages, new RegExp(`it answered ${status}`));
  }
  far.refusal = undefined;
  assert.deepEqual((await run(server)).push, { ...NONE, read: 9, created: 8, unchanged: 1 });
});

test('what is changed or deleted here while the job sends it goes with the next job', async () => {
  const { far, server, of } = await begin();
  await put(of('a'), '1');
  await put(of('b'), '1');
  const changed: Promise<unknown>[] = [];
  far.refusal = (id) => {
    const again = id === of('a') ? put(id, '2') : call('admin', 'DELETE', `/Basic/${id}`);
    changed.push(again);
    return undefined;
  };
  assert.equal((await run(server)).push.created, 2);
  await Promise.all(changed);
  far.refusal = undefined;
  const dry = await run(server, { dry_run: true });
  assert.deepEqual(dry.push, { ...NONE, read: 2, updated: 1, deleted: 1 });
  assert.deepEqual([far.code(of('a')), far.code(of('b'))], ['1', '1']);
  assert.deepEqual((await run(server, { direction: 'both' })).push, { ...NONE, read: 2, updated: 1, deleted: 1 });
  assert.deepEqual([far.code(of('a')), far.code(of('b'))], ['2', undefined]);
  assert.deepEqual((await run(server)).push, { ...NONE, read: 1, unchanged: 1 });
});

test('what was sent before the server failed is counted as sent, once, and may be changed here meanwhile', async () => {
  const { far, server, of } = await begin();
  const ids = Array.from({ length: 12 }, (_, place) => of(String(place)));
  for (const id of ids) await put(id, '1');
  const [first = '', last = ''] = [ids[0], ids[11]];
  let failures = 0;
  const changes: Promise<unknown>[] = [];
  far.refusal = (id) => {
    if (id !== last || failures > 1) return undefined;
    failures += 1;
    if (failures === 2) changes.push(put(first, '2'));
    return 503;
  };
  const done = await run(server);
  await Promise.all(changes);
  assert.deepEqual([done.push, failures], [{ ...NONE, read: 12, created: 12 }, 2]);
  assert.deepEqual((await run(server)).push, { ...NONE, read: 12, updated: 1, unchanged: 11 });
  assert.equal(far.code(first), '2');
});

test('several types go one after the other, each with what became of it', async () => {
  const { far, server, of } = await begin();
  const types = ['Organization', 'Basic', 'Location'];
  for (const type of types.filter((each) => each !== 'Basic'))
    assert.equal(
      (await call('admin', 'PUT', `/${type}/${of(type)}`, { resourceType: type, id: of(type), name: 'x' })).status,
      201,
    );
  await put(of('a'), '1');
  await put(of('b'), '1');
  far.refusal = (id) => (id === of('Location') ? 422 : undefined);
  const done = await run(server, { resource_types: types });
  assert.deepEqual(done.push, { ...NONE, read: 4, created: 3, conflicts: 1 });
  assert.deepEqual(done.conflicts, [`${of('Location')} refused_there`]);
  assert.equal(done.progress.types_done, 3);
  far.refusal = undefined;
  await call('admin', 'DELETE', `/Organization/${of('Organization')}`);
  await put(of('a'), '2');
  const again = await run(server, { resource_types: types.toReversed() });
  assert.deepEqual(again.push, { ...NONE, read: 4, created: 1, updated: 1, deleted: 1, unchanged: 1 });
  assert.equal(far.kept.get(of('Organization'))?.text, undefined);
  for (const type of types.filter((each) => each !== 'Basic')) await call('admin', 'DELETE', `/${type}/${of(type)}`);
});

test('a resource at which the server fails, or that it denies, is named with the answer; the others go on, and it is tried again', async () => {
  const { far, server, of } = await begin();
  for (const id of ['denied', 'failing', 'fine', 'late']) await put(of(id), '1');
  const answers = new Map([
    [of('denied'), [403, 403, 403, 403]],
    [of('failing'), [500, 502, 500, 503]],
    [of('late'), [503, 500]],
  ]);
  const tries = new Map<string, number>();
  far.refusal = (id) => {
    tries.set(id, (tries.get(id) ?? 0) + 1);
    return answers.get(id)?.shift();
  };
  const done = await run(server);
  assert.deepEqual(done.push, { ...NONE, read: 4, created: 2, conflicts: 2 });
  assert.deepEqual(done.conflicts, [`${of('denied')} failed_there`, `${of('failing')} failed_there`]);
  assert.match(done.messages, /it answered 403/);
  assert.match(done.messages, /it answered 503/);
  assert.deepEqual(
    ['denied', 'failing', 'fine', 'late'].map((id) => tries.get(of(id))),
    [4, 4, 1, 3],
  );
  assert.deepEqual((await run(server)).push, { ...NONE, read: 4, created: 2, unchanged: 2 });
});

test('a deletion at which the server fails is named, and tried again', async () => {
  const { far, server, of } = await begin();
  for (const id of ['a', 'b']) await put(of(id), '1');
  await run(server);
  for (const id of ['a', 'b']) await call('admin', 'DELETE', `/Basic/${of(id)}`);
  let failures = 0;
  far.refusal = (id) => {
    failures += 1;
    return id === of('a') && failures < 3 ? 503 : undefined;
  };
  assert.deepEqual((await run(server)).push, { ...NONE, read: 2, deleted: 2 });
  assert.deepEqual([far.code(of('a')), far.code(of('b'))], [undefined, undefined]);
});

test('a server that rewrites what it stores is sent a change once, and no more', async () => {
  const { far, server, of } = await begin();
  far.rewrite = (text) => JSON.stringify({ ...JSON.parse(text), language: 'sv' });
  await put(of('a'), '1');
  assert.deepEqual((await run(server)).push, { ...NONE, read: 1, created: 1 });
  let writes = 0;
  far.refusal = () => {
    writes += 1;
    return undefined;
  };
  for (const direction of ['push', 'both', 'push', 'pull']) {
    const done = await run(server, { direction });
    assert.deepEqual(done.conflicts, [], direction);
    assert.deepEqual([done.push.updated, done.push.created, done.counts.pull.updated], [0, 0, 0], direction);
  }
  assert.equal(writes, 0);
  await put(of('a'), '2');
  const changed = await run(server);
  assert.deepEqual([changed.push, changed.conflicts], [{ ...NONE, read: 1, updated: 1 }, []]);
  assert.deepEqual([far.code(of('a')), writes], ['2', 1]);
  // A real change there is still one.
  far.write(of('a'), JSON.stringify({ resourceType: 'Basic', code: { text: 'there' } }));
  await put(of('a'), '3');
  assert.deepEqual((await run(server)).conflicts, [`${of('a')} both_changed`]);
  await call('admin', 'DELETE', `/Basic/${of('a')}`);
});

// Files of exports as gzip: the parts as they are stored, joined; those of an older release are packed on the way.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { addPart } from '#services/engine/bulk/files.ts';
import { endOfJob } from '#test/support/engine/bulk.ts';
import { startTestEngine, type TestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';

const hooks = lastFirst({ after });
const LINES = ['{"resourceType":"Basic","id":"ö"}\n', '{"resourceType":"Basic"}\n'].map((line) => line.repeat(20_000));
const ALL = LINES.join('');

/** A finished export whose file has the two parts. */
async function startWithFile(): Promise<{ engine: TestEngine; url: string; job: string }> {
  const engine = await startTestEngine(hooks);
  await engine.engine.start();
  const get = (url: string, headers: Record<string, string> = {}) =>
    engine.app.inject({
      url: url.replace('http://engine.test', ''),
      headers: { authorization: 'Bearer admin', ...headers },
    });
  const started = await get('/api/v1/$export?_type=Basic', { prefer: 'respond-async' });
  const address = String(started.headers['content-location']);
  await endOfJob(engine, () => get(address));
  const job = address.split('/').at(-1) ?? '';
  for (const line of LINES) {
    const part = { job, kind: 'output', type: 'Basic', content: Buffer.from(line), resources: 20_000 } as const;
    await addPart(engine.database, part);
  }
  return { engine, url: `${address.replace('http://engine.test', '')}/1.ndjson`, job };
}

test('a file is sent as gzip from its parts, with its length, and plain or in ranges to others', async () => {
  const { engine, url, job } = await startWithFile();
  const get = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
    engine.app.inject({ method, url, headers: { authorization: 'Bearer admin', ...headers } });
  for (const accepted of ['gzip', 'gzip, deflate, br', '*']) {
    const packed = await get({ 'accept-encoding': accepted });
    const { headers, rawPayload } = packed;
    assert.equal(packed.statusCode, 200, packed.payload);
    assert.deepEqual(
      [headers['content-encoding'], headers['accept-ranges'], headers['vary'], Number(headers['content-length'])],
      ['gzip', 'none', 'Accept-Encoding', rawPayload.length],
    );
    assert.equal(gunzipSync(rawPayload).toString(), ALL);
  }
  for (const accepted of ['identity', 'gzip;q=0', 'identity, gzip;q=0.5']) {
    const plain = await get({ 'accept-encoding': accepted });
    assert.deepEqual([plain.headers['content-encoding'], plain.headers['accept-ranges']], [undefined, 'bytes']);
    assert.equal(plain.payload, ALL);
  }
  const range = await get({ 'accept-encoding': 'gzip', range: 'bytes=700000-' });
  assert.deepEqual(
    [range.statusCode, range.headers['content-encoding'], range.rawPayload],
    [206, undefined, Buffer.from(ALL).subarray(700_000)],
  );
  const head = await get({ 'accept-encoding': 'gzip' }, 'HEAD');
  assert.deepEqual([head.statusCode, head.headers['content-encoding'], head.payload], [200, undefined, '']);
  // Written by the release before.
  const old = gzipSync(LINES[1] ?? '', { level: 1 });
  await engine.database.query('UPDATE bulk_part SET content = $2 WHERE job_guid = $1 AND start > 0', [job, old]);
  const mixed = await get({ 'accept-encoding': 'gzip' });
  assert.equal(mixed.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(mixed.rawPayload).toString(), ALL);
  assert.equal((await get({})).payload, ALL);
});

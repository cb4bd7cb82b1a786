// An import that is refused while it arrives: the connection serves the next request.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { openConnection } from '#test/support/one-connection.ts';

const { app } = await startTestEngine({ after });
const origin = await app.listen({ host: '127.0.0.1', port: 0 });

const MEBIBYTE = 1024 * 1024;
const longLine = Buffer.alloc(24 * MEBIBYTE, 'x');
const noise = Buffer.from(Array.from({ length: 4 * MEBIBYTE }, (_, n) => (Math.imul(n + 1, 2654435761) >>> 13) & 0xff));

for (const [name, status, body, encoding] of [
  ['a line that is too long', 413, longLine, 'identity'],
  [
    'too many blank lines',
    413,
    Buffer.concat([Buffer.alloc(12_000, '\n'), Buffer.alloc(8 * MEBIBYTE, 'x')]),
    'identity',
  ],
  ['a packed line that is too long', 413, gzipSync(Buffer.concat([longLine, noise])), 'gzip'],
  ['what is not packed', 400, noise, 'gzip'],
] as const) {
  test(`after ${name} the connection serves the next import`, async (t) => {
    const connection = openConnection(origin);
    t.after(connection.close);
    const send = (content: Buffer | string, contentEncoding: string) =>
      connection.send({
        path: '/api/v1/$import',
        headers: {
          authorization: 'Bearer admin',
          prefer: 'respond-async',
          'content-type': 'application/fhir+ndjson',
          'content-encoding': contentEncoding,
          'content-length': String(Buffer.byteLength(content)),
        },
        body: content,
      });
    const refused = await send(body, encoding);
    assert.equal(refused.status, status);
    const next = await send('', 'identity');
    assert.deepEqual([next.status, next.port], [202, refused.port]);
  });
}

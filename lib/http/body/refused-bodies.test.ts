// A body that is refused before it has arrived: the rest is read, and the connection serves the next request.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makePrincipal, makeTestApp } from '#test/support/http-app.ts';
import { openConnection } from '#test/support/one-connection.ts';

const MEBIBYTE = 1024 * 1024;
const app = await makeTestApp({ admin: makePrincipal(['admin']), patient: makePrincipal(['patient']) });
app.post('/things', { config: { permission: 'account:read-own' } }, async () => ({ taken: true }));
const address = await app.listen({ host: '127.0.0.1', port: 0 });
after(() => app.close());

interface Sent {
  readonly caller: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

function open() {
  const connection = openConnection(address);
  const send = ({ caller, body, headers = {} }: Sent) => {
    const all = { authorization: `Bearer ${caller}`, 'content-type': 'application/json', ...headers };
    return connection.send({ path: '/things', headers: all, body });
  };
  return { send, close: connection.close };
}

const large = Buffer.from(JSON.stringify({ text: 'x'.repeat(8 * MEBIBYTE) }));
const length = { 'content-length': String(large.length) };
const noise = Buffer.from(Array.from({ length: 8 * MEBIBYTE }, (_, n) => (Math.imul(n + 1, 2654435761) >>> 13) & 0xff));
const packed = gzipSync(noise);

const PLAIN = { 'content-type': 'text/plain' };
const CHUNKED = { 'transfer-encoding': 'chunked' };

for (const [name, status, sent] of [
  ['beyond the limit of the route', 413, { caller: 'admin', body: large, headers: length }],
  ['beyond the limit of the caller', 413, { caller: 'patient', body: large, headers: length }],
  ['of a content type that is not read', 415, { caller: 'admin', body: large, headers: { ...length, ...PLAIN } }],
  ['in chunks, unread', 415, { caller: 'patient', body: large, headers: { ...CHUNKED, ...PLAIN } }],
  [
    'packed, beyond the limit of the route',
    413,
    { caller: 'admin', body: packed, headers: { 'content-encoding': 'gzip' } },
  ],
] as const satisfies readonly (readonly [string, number, Sent])[]) {
  test(`a connection serves the next request, or is closed with the response, after a body ${name}`, async (t) => {
    const connection = open();
    t.after(connection.close);
    const refused = await connection.send(sent);
    assert.equal(refused.status, status);
    const next = await connection.send({ caller: 'admin', body: Buffer.from('{}') });
    assert.equal(next.status, 200);
    if (!refused.isLast) assert.equal(next.port, refused.port);
  });
}

test('a connection is kept after a body whose length was announced', async (t) => {
  const connection = open();
  t.after(connection.close);
  assert.equal((await connection.send({ caller: 'admin', body: large, headers: length })).isLast, false);
});

for (const [name, status, path, caller] of [
  ['beyond the limit of the route', '413', '/things', 'admin'],
  ['beyond the limit of the caller', '413', '/things', 'patient'],
  ['to an address where nothing is', '404', '/nothing', 'admin'],
] as const) {
  test(`a client that closes its connection sends all of a body ${name}, and gets the response`, async (t) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    t.after(() => socket.destroy());
    const body = Buffer.alloc(32 * MEBIBYTE, 'x');
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${caller}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    // A connection that is reset ends with an error.
    assert.equal((await text(socket)).split(' ')[1], status);
  });
}

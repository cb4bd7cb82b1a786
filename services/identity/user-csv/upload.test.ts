// The upload of an import (decisions G2 and G4): an invalid upload is refused and changes nothing, however it arrives
// or breaks off.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { nextEmail } from '#test/support/identity/identity-people.ts';
import { fileForm, formOf, HEADER, importUsers } from '#test/support/identity/user-csv.ts';

const MIB = 1024 * 1024;
const identity = await startIdentity({ after }, { config: { importPassword: new Secret('a temporary phrase') } });
const { app, database } = identity;
const admin = await identity.asAdmin();
const url = '/api/admin/import-users';
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;

const rowOf = (email: string) => `${email},professional,Anna,Berg,nurse,,,,\r\n`;
const countUsers = async () => (await database.query('SELECT count(*) AS n FROM app_user')).rows[0]?.['n'];

/** A file of exactly that size: one valid row, and then blank rows. */
function fileOf(bytes: number, email: string): string {
  return `${`${HEADER}\r\n${rowOf(email)}`.padEnd(bytes - 1, `${' '.repeat(1000)},,,,,,,,\n`)}\n`;
}

test('other content types are 415', async () => {
  for (const type of ['application/json', 'text/csv', 'application/x-www-form-urlencoded']) {
    const headers = { ...admin, 'content-type': type };
    const answer = await app.inject({ method: 'POST', url, headers, payload: '{}' });
    assert.deepEqual([answer.statusCode, answer.json().error], [415, 'unsupported_media_type'], type);
  }
  const none = await app.inject({ method: 'POST', url, headers: admin });
  assert.deepEqual([none.statusCode, none.json().error], [415, 'unsupported_media_type']);
});

test('the field file is required, once, as a file, and no other is known', async () => {
  const other = new FormData();
  other.append('files', new Blob([HEADER]), 'users.csv');
  other.append('dry_run', 'true');
  const answer = await importUsers(identity, other);
  assert.deepEqual([answer.status, answer.body.error], [400, 'validation_error']);
  assert.deepEqual(answer.body.messages, [
    "'files' is not a known field",
    "'dry_run' is not a known field",
    "'file' is required",
  ]);
  const text = new FormData();
  text.append('file', HEADER);
  assert.deepEqual((await importUsers(identity, text)).body.messages, ["'file' must be a file"]);
  const email = nextEmail();
  const twice = fileForm(`${HEADER}\n${rowOf(email)}`);
  twice.append('file', new Blob([HEADER]), 'again.csv');
  assert.deepEqual((await importUsers(identity, twice)).body.messages, ["'file' must be there once"]);
  assert.deepEqual((await importUsers(identity, new FormData())).body.messages, ["'file' is required"]);
});

test('20 MiB are taken, one byte more is 413 and nothing is changed', async () => {
  const before = await countUsers();
  for (const size of [20 * MIB + 1, 21 * MIB]) {
    const { status, body } = await importUsers(identity, fileOf(size, nextEmail()));
    assert.deepEqual([status, body.error], [413, 'payload_too_large']);
  }
  assert.equal(await countUsers(), before);
  const { status, body } = await importUsers(identity, fileOf(20 * MIB, nextEmail()));
  assert.deepEqual([status, body.created], [200, 1]);
});

test('a body without a length that is too large is 413 too', async () => {
  const { payload, headers } = await formOf(fileForm(fileOf(22 * MIB, nextEmail())));
  const pieces = async function* () {
    for (let at = 0; at < payload.length; at += MIB) yield payload.subarray(at, at + MIB);
  };
  const before = await countUsers();
  const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
    method: 'POST',
    headers: { ...admin, ...headers },
    body: ReadableStream.from(pieces()),
    duplex: 'half',
  });
  assert.equal(answer.status, 413);
  assert.equal(await countUsers(), before);
});

test('a body that is not multipart, or ends in the middle, is 400', async () => {
  const { payload, headers } = await formOf(fileForm(`${HEADER}\n${rowOf(nextEmail())}`));
  const before = await countUsers();
  for (const [type, body] of [
    [headers['content-type'], payload.subarray(0, payload.length - 20)],
    [headers['content-type'], Buffer.from('nonsense')],
    ['multipart/form-data', payload],
  ] as const) {
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { ...admin, 'content-type': type },
      payload: body,
    });
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request'], type);
  }
  assert.equal(await countUsers(), before);
});

test('a connection that breaks in the middle of the upload changes nothing and leaves nothing behind', async () => {
  const { payload, headers } = await formOf(fileForm(fileOf(4 * MIB, nextEmail())));
  const before = await countUsers();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    `POST ${url} HTTP/1.1`,
    'host: localhost',
    `authorization: ${admin.authorization}`,
    `content-type: ${headers['content-type']}`,
    `content-length: ${payload.length}`,
    '',
    '',
  ];
  socket.write(head.join('\r\n'));
  await new Promise((resolve) => socket.write(payload.subarray(0, 2 * MIB), resolve));
  socket.destroy();
  await once(socket, 'close');
  // The server accepts the next upload.
  const { status } = await importUsers(identity, `${HEADER}\n`);
  assert.equal(status, 200);
  assert.equal(await countUsers(), before);
  assert.deepEqual(
    (await readdir(tmpdir())).filter((name) => name.startsWith('kedja-upload-')),
    [],
  );
});

test('who goes away while the import runs leaves whole users only', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, index) => `broken-${index}@example.org,professional,A,B,nurse,,,planning,\n`,
  );
  const { payload, headers } = await formOf(fileForm(`${HEADER}\n${rows.join('')}`));
  const before = Number(await countUsers());
  const gone = new AbortController();
  const asked = fetch(`http://127.0.0.1:${port}${url}`, {
    method: 'POST',
    headers: { ...admin, ...headers },
    body: Uint8Array.from(payload),
    signal: gone.signal,
  });
  while (Number(await countUsers()) === before) await new Promise((resolve) => setTimeout(resolve, 5));
  gone.abort();
  await assert.rejects(asked);
  const events = () =>
    database.query(
      `SELECT resource FROM audit_event WHERE resource LIKE '%users.import%' AND resource LIKE '%broken off%'`,
    );
  while ((await events()).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  const made = Number(await countUsers()) - before;
  assert.ok(made >= 1_000 && made < 20_000 && made % 1_000 === 0, String(made));
  const { rows: halves } = await database.query(
    `SELECT u.user_guid FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN membership m USING (user_guid)
     WHERE u.email LIKE 'broken-%' AND (p.user_guid IS NULL OR m.user_guid IS NULL)`,
  );
  assert.deepEqual(halves, []);
});

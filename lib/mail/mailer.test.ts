// The mail outbox against a real PostgreSQL and a mail server on loopback.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { handClock } from '#test/support/identity/identity.ts';
import { SENDER, startMailServer } from '#test/support/mail.ts';
import { MINUTE_MS } from '../clock.ts';
import { createMailer, type QueuedMail } from './mailer.ts';
import { mailMigrations } from './migrations.ts';
import { createSmtpSender } from './smtp-sender.ts';

const TO = 'asa.oberg@example.org';
const MAIL = {
  kind: 'greeting',
  to: TO,
  subject: 'Välkommen, Åsa',
  text: 'Hej Åsa!\nLänken: https://kedja.example.org/?a=b',
};

const hooks = lastFirst({ after });
const on = await createTestDatabase(hooks, { schemas: [{ schema: 'mail', migrations: [mailMigrations] }] });
const database = on.database('mail');
const server = await startMailServer(hooks);
const clock = handClock();
const lines: string[] = [];

function makeMailer(send = server.send) {
  const metrics = createMetrics('test');
  const keys = fixedKeys(Buffer.alloc(32, 3));
  const mailer = createMailer({ database, clock, log: makeTestLogger(lines), metrics, keys, send, random: () => 0.5 });
  const queueOne = (mail: QueuedMail = MAIL) => database.transaction((tx) => mailer.queue(tx, mail));
  return { ...mailer, queueOne, metrics };
}

interface Row {
  readonly message_sealed: Buffer | null;
  readonly attempt: number;
  readonly last_error: string | null;
  readonly dead_at: Date | null;
}

const rows = async () => (await database.query<Row>('SELECT * FROM mail_outbox ORDER BY mail_guid')).rows;

beforeEach(async () => {
  await database.query('DELETE FROM mail_outbox');
  server.taken.length = 0;
  lines.length = 0;
  server.reply = {};
});

test('a mail is sealed until it is sent, arrives as it was written, and leaves nothing behind', async () => {
  const mailer = makeMailer();
  await mailer.queueOne();
  const [row] = await rows();
  assert.doesNotMatch(row?.message_sealed?.toString('latin1') ?? '', /example|kommen/);
  assert.equal(await mailer.runOnce(), 1);
  const [mail] = server.taken;
  assert.deepEqual([mail?.from, mail?.to, mail?.subject], [SENDER, [TO], MAIL.subject]);
  assert.equal(mail?.body.trimEnd(), MAIL.text);
  assert.match(mail?.raw ?? '', /^Auto-Submitted: auto-generated\r$/m);
  assert.match(mail?.raw ?? '', /^Message-ID: <[0-9a-f-]{36}@kedja\.example\.org>\r$/m);
  assert.deepEqual(await rows(), []);
  assert.match(lines.join(''), /"event":"mail.sent"/);
  assert.doesNotMatch(lines.join(''), /oberg|kommen/);
  assert.match(await mailer.metrics.text(), /kedja_mail_attempts_total\{outcome="sent",service="test"\} 1/);
});

test('a mail of a change that was rolled back is never sent', async () => {
  const mailer = makeMailer();
  const changed = database.transaction(async (tx) => {
    await mailer.queue(tx, MAIL);
    throw new Error('no change');
  });
  await assert.rejects(changed, /no change/);
  assert.equal(await mailer.runOnce(), 0);
});

test('an address that injects headers or recipients is one recipient, and no header', async () => {
  const mailer = makeMailer();
  await mailer.queueOne({ ...MAIL, subject: 'A\r\nBcc: x@example.org' });
  await mailer.runOnce();
  assert.deepEqual(server.taken[0]?.to, [TO]);
  assert.doesNotMatch(server.taken[0]?.raw ?? '', /^Bcc:/m);
});

test('an unavailable server is tried again on schedule, and gets the mail later', async () => {
  const mailer = makeMailer();
  await mailer.queueOne();
  const away = makeMailer(createSmtpSender({ server: { host: '127.0.0.1', port: 1, tls: 'none' }, from: SENDER }));
  assert.equal(await away.runOnce(), 1);
  assert.equal((await rows())[0]?.last_error, 'unreachable');
  assert.equal(await mailer.runOnce(), 0, 'not yet');
  clock.advance(5_000);
  server.reply = { message: 451 };
  assert.equal(await mailer.runOnce(), 1);
  assert.deepEqual(
    (await rows()).map((row) => [row.attempt, row.last_error]),
    [[2, 'deferred']],
  );
  assert.match(lines.join(''), /"event":"mail.failed".*"outcome":"deferred".*"code":451/);
  clock.advance(30_000);
  server.reply = {};
  assert.equal(await mailer.runOnce(), 1);
  assert.equal(server.taken.length, 1);
});

test('a recipient that the server refuses is given up at once, without the message', async () => {
  const mailer = makeMailer();
  await mailer.queueOne();
  server.reply = { recipient: 550 };
  await mailer.runOnce();
  const [row] = await rows();
  assert.deepEqual([row?.last_error, row?.message_sealed], ['address_refused', null]);
  assert.ok(row?.dead_at);
  assert.match(lines.join(''), /"event":"mail.dead"/);
  assert.match(await mailer.metrics.text(), /kedja_mail_dead\{service="test"\} 1/);
  clock.advance(24 * 60 * MINUTE_MS);
  assert.equal(await mailer.runOnce(), 0);
});

test('after some hours of failures a mail is given up', async () => {
  const mailer = makeMailer(async () => ({ kind: 'failed', error: 'unreachable' }));
  await mailer.queueOne();
  const began = clock.now();
  while ((await rows())[0]?.dead_at === null) {
    clock.advance(MINUTE_MS * 5);
    await mailer.runOnce();
  }
  const hours = (clock.now() - began) / 3_600_000;
  assert.ok(hours > 7 && hours < 10, `${hours} h`);
});

test('an expired mail is not sent', async () => {
  const mailer = makeMailer();
  await mailer.queueOne({ ...MAIL, expiresAt: new Date(clock.now() + MINUTE_MS) });
  clock.advance(MINUTE_MS);
  assert.equal(await mailer.runOnce(), 1);
  assert.equal(server.taken.length, 0);
  assert.equal((await rows())[0]?.last_error, 'expired');
});

test('workers that claim at once send each mail once', async () => {
  const workers = [makeMailer(), makeMailer(), makeMailer()];
  for (let mail = 0; mail < 10; mail += 1) await workers[0]?.queueOne({ ...MAIL, subject: `Mail ${mail}` });
  for (let sent = 0; sent < 10; ) {
    const claimed = await Promise.all(workers.map((worker) => worker.runOnce()));
    sent += claimed.reduce((sum, count) => sum + count, 0);
  }
  assert.deepEqual(
    server.taken.map(({ subject }) => subject).sort(),
    Array.from({ length: 10 }, (_, mail) => `Mail ${mail}`),
  );
});

test('a worker that dies leaves its mail to another when the lease has ended; its own late failure changes nothing', async () => {
  let fail = (): void => undefined;
  const silence = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const silent = makeMailer(async () => {
    await silence;
    return { kind: 'failed', error: 'unreachable' };
  });
  const mailer = makeMailer();
  await mailer.queueOne();
  const dead = silent.runOnce();
  await eventually('the mail is claimed', async () => (await rows()).find(({ attempt }) => attempt === 1));
  assert.equal(await mailer.runOnce(), 0, 'it belongs to the first worker');
  clock.advance(5 * MINUTE_MS);
  server.reply = { message: 451 };
  assert.equal(await mailer.runOnce(), 1);
  fail();
  await dead;
  assert.deepEqual(
    (await rows()).map((row) => [row.attempt, row.last_error]),
    [[2, 'deferred']],
  );
});

test('a mail that is taken back is not sent, and it is told whether the server can have it', async () => {
  const sending = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const hanging = makeMailer(async () => {
    sending.resolve();
    await end.promise;
    return { kind: 'failed', error: 'unreachable' };
  });
  const cancel = (guid?: string) => database.transaction((tx) => hanging.cancel(tx, guid));
  assert.equal(await cancel(await hanging.queueOne()), true, 'never tried');
  assert.equal(await hanging.runOnce(), 0);
  const failed = await hanging.queueOne();
  server.reply = { message: 451 };
  assert.equal(await makeMailer().runOnce(), 1);
  assert.equal(await cancel(failed), true, 'tried in vain');
  const tried = await hanging.queueOne();
  const attempt = hanging.runOnce();
  await sending.promise;
  assert.equal(await cancel(tried), false, 'being sent');
  end.resolve();
  await attempt;
  assert.equal((await rows()).length, 0, 'the attempt does not bring it back');
  assert.equal(await cancel(tried), false);
  assert.equal(await cancel(), false);
});

test('the worker is woken by the commit, and a stop ends an attempt that hangs', async () => {
  const mailer = makeMailer();
  await mailer.start();
  await mailer.queueOne();
  await server.mailTo(TO);
  server.reply = { isSilent: true };
  await mailer.queueOne();
  await eventually('the mail is claimed', async () => (await rows()).find(({ attempt }) => attempt === 1));
  await mailer.stop();
  assert.deepEqual(
    (await rows()).map((row) => [row.attempt, row.last_error, row.dead_at]),
    [[1, 'interrupted', null]],
  );
});

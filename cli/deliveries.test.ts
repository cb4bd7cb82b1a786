// `kedja deliveries` as an operator runs it, on a database with delivered, dead and waiting webhooks.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newGuid } from '#lib/guid.ts';
import { migrations } from '#services/dispatch/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { startCommand } from '#test/support/system/processes.ts';

const { url, database } = await createTestDatabase({ after }, { schemas: [{ schema: 'dispatch', migrations }] });
const db = database('dispatch');
const deliveries = (...args: string[]) => startCommand(['deliveries', ...args], { KEDJA_DATABASE_URL: url }).ended;

const [north, south] = ['provider-north', 'provider-south'];

interface Expected {
  readonly provider: string;
  readonly status: 'dead' | 'delivered' | 'waiting';
  readonly diedAt?: string;
}

/** A ping, which needs no request, with one attempt. */
async function delivery({ provider, status, diedAt }: Expected): Promise<string> {
  const guid = newGuid();
  await db.query(
    `INSERT INTO delivery (delivery_guid, provider_guid, type, status, envelope, body_sha256, attempt, failures, next_at, last_error,
       created_at, updated_at, dead_at)
     VALUES ($1, $2, 'ping', $3, '{}', ''::bytea, 1, 1, '2026-06-01Z', $4, '2026-06-01Z', '2026-06-01Z', $5)`,
    [guid, provider, status, status === 'delivered' ? null : 'server_error', diedAt ?? null],
  );
  await db.query(
    `INSERT INTO delivery_attempt VALUES ($1, 1, '2026-06-01T10:00:00Z', 12, $2, $3, NULL)`,
    status === 'delivered' ? [guid, 204, 'delivered'] : [guid, 500, 'server\u001b[31m_error'],
  );
  return guid;
}

await db.query(
  `INSERT INTO provider_endpoint (provider_guid, url, enabled, secret, created_at, updated_at)
   SELECT guid, 'https://care.example.org/', true, ''::bytea, now(), now() FROM unnest($1::text[]) AS guid`,
  [[north, south]],
);
const early = await delivery({ provider: north, status: 'dead', diedAt: '2026-06-02T08:00:00Z' });
const late = await delivery({ provider: north, status: 'dead', diedAt: '2026-06-03T08:00:00Z' });
const other = await delivery({ provider: south, status: 'dead', diedAt: '2026-06-03T08:00:00Z' });
const delivered = await delivery({ provider: south, status: 'delivered' });
const waiting = await delivery({ provider: south, status: 'waiting' });

const guidsIn = (text: string) => [...text.matchAll(/^[0-9a-f-]{36}/gm)].map(([guid]) => guid);
const statusOf = async (guid: string) =>
  (await db.query<{ status: string }>('SELECT status FROM delivery WHERE delivery_guid = $1', [guid])).rows[0]?.status;

test('list shows the newest first, by status, provider and time of death', async () => {
  const all = await deliveries('list');
  assert.equal(all.code, 0, all.stderr);
  assert.match(all.stdout, /^DELIVERY +STATUS +TYPE +PROVIDER +CREATED +ATTEMPTS +LAST ERROR\n/);
  assert.deepEqual(guidsIn(all.stdout), [waiting, delivered, other, late, early]);
  assert.match(all.stdout, /\n5 of 5\n$/);
  const cases: [string[], string[]][] = [
    [
      ['--status', 'dead'],
      [other, late, early],
    ],
    [
      ['--status', 'dead', '--provider', north],
      [late, early],
    ],
    [
      ['--since', '2026-06-03'],
      [other, late],
    ],
    [['--since', '2026-06-02', '--until', '2026-06-03T08:00Z'], [early]],
    [['--request', newGuid()], []],
    [['--limit', '1'], [waiting]],
    [
      ['--type', 'ping'],
      [waiting, delivered, other, late, early],
    ],
    [['--type', 'request.revoked'], []],
    [['--created-since', '2026-06-01', '--status', 'delivered'], [delivered]],
    [['--created-until', '2026-06-01'], []],
  ];
  for (const [options, expected] of cases) {
    const { stdout, stderr, code } = await deliveries('list', ...options);
    assert.deepEqual([guidsIn(stdout), code], [expected, 0], `${options.join(' ')}: ${stderr}`);
  }
});

test('show prints one delivery with its attempts, without control characters', async () => {
  const { stdout, code } = await deliveries('show', late);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^delivery +${late}\n`));
  assert.match(stdout, /\ndied +2026-06-03T08:00:00\.000Z\n/);
  assert.match(stdout, /\n1 +2026-06-01T10:00:00\.000Z +12 ms +500 +server\uFFFD\[31m_error\n$/);
  const unknown = await deliveries('show', newGuid());
  assert.deepEqual([unknown.code, unknown.stdout, unknown.stderr], [1, '', 'Delivery not found\n']);
});

test('--json prints the same as one document with the members of the HTTP API', async () => {
  const list = await deliveries('list', '--status', 'dead', '--limit', '2', '--json');
  const { data, total } = JSON.parse(list.stdout) as { data: Record<string, unknown>[]; total: number };
  assert.deepEqual([data.map((each) => each['delivery_guid']), total, list.code], [[other, late], 3, 0]);
  assert.deepEqual(data[1], {
    delivery_guid: late,
    provider_guid: north,
    request_guid: null,
    type: 'ping',
    status: 'dead',
    attempts_made: 1,
    failures: 1,
    next_at: null,
    last_error: 'server_error',
    cancelled_reason: null,
    created_at: '2026-06-01T00:00:00.000Z',
    updated_at: '2026-06-01T00:00:00.000Z',
    delivered_at: null,
    dead_at: '2026-06-03T08:00:00.000Z',
  });
  const show = JSON.parse((await deliveries('show', late, '--json')).stdout);
  assert.deepEqual(show, {
    ...data[1],
    attempts: [
      {
        attempt: 1,
        started_at: '2026-06-01T10:00:00.000Z',
        duration_ms: 12,
        http_status: 500,
        outcome: 'server\u001b[31m_error',
        answer: null,
      },
    ],
  });
});

test('--dry-run counts what would be replayed and changes nothing', async () => {
  const cases: [string[], number][] = [
    [['--all'], 3],
    [['--provider', north], 2],
    [['--type', 'ping', '--since', '2026-06-03'], 2],
    [['--type', 'request.dispatched'], 0],
    [['--request', newGuid()], 0],
  ];
  for (const [options, count] of cases) {
    const { stdout, code } = await deliveries('replay', '--dry-run', ...options);
    assert.deepEqual([stdout, code], [`Would be queued again: ${count}\n`, 0], options.join(' '));
  }
  const dryRun = await deliveries('replay', '--dry-run', '--all', '--json');
  assert.deepEqual(JSON.parse(dryRun.stdout), { would_replay: 3 });
  for (const guid of [early, late, other]) assert.equal(await statusOf(guid), 'dead');
  const { rowCount } = await db.query(`SELECT FROM audit_event WHERE resource LIKE '%delivery.replay%'`);
  assert.equal(rowCount, 0);
});

test('replay queues each named delivery separately; one that is not dead is reported and makes the exit code 1', async () => {
  const outcome = await deliveries('replay', early, delivered, 'none');
  assert.equal(outcome.code, 1);
  assert.equal(outcome.stdout, `${early}  queued\n`);
  assert.match(outcome.stderr, new RegExp(`^${delivered}: The delivery is delivered; .*\nnone: Delivery not found\n$`));
  assert.deepEqual([await statusOf(early), await statusOf(delivered)], ['queued', 'delivered']);
  const { rows } = await db.query<{ resource: string }>(
    `SELECT resource FROM audit_event WHERE resource LIKE '%delivery.replay%' AND resource LIKE $1`,
    [`%${early}%`],
  );
  assert.equal(rows.length, 1, 'it is audited');
});

test('replay of many needs a provider, a time or --all', async () => {
  const byProvider = await deliveries('replay', '--provider', south, '--since', '2026-06-03');
  assert.deepEqual([byProvider.code, byProvider.stdout], [0, 'Queued again: 1\n'], byProvider.stderr);
  assert.deepEqual([await statusOf(other), await statusOf(late)], ['queued', 'dead']);
  assert.equal((await deliveries('replay')).code, 1);
  assert.equal(await statusOf(late), 'dead');
  const [typed, none] = [
    await deliveries('replay', '--type', 'request.revoked'),
    await deliveries('replay', '--request', newGuid()),
  ];
  assert.deepEqual(
    [typed.stdout, none.stdout, await statusOf(late)],
    ['Queued again: 0\n', 'Queued again: 0\n', 'dead'],
  );
  const named = await deliveries('replay', late, 'none', '--json');
  assert.deepEqual(JSON.parse(named.stdout), {
    replayed: [{ delivery_guid: late, status: 'queued' }],
    refused: [{ delivery_guid: 'none', message: 'Delivery not found' }],
  });
  assert.deepEqual([named.code, named.stderr], [1, '']);
  const last = await delivery({ provider: north, status: 'dead', diedAt: '2026-06-03T08:00:00Z' });
  const all = await deliveries('replay', '--all', '--json');
  assert.deepEqual([all.code, JSON.parse(all.stdout), await statusOf(last)], [0, { replayed: 1 }, 'queued']);
});

test('invalid arguments print the usage, invalid values an error, both with exit code 1', async () => {
  const meaningless = await deliveries('list', '--all');
  assert.deepEqual([meaningless.code, meaningless.stdout], [1, '']);
  assert.match(meaningless.stderr, /^"list --all" is none of the uses below\.\n\nusage: kedja deliveries/);
  const unknown = await deliveries('list', '--what');
  assert.match(unknown.stderr, /^Unknown option '--what'[^\n]*\n\nusage: kedja deliveries/);
  const wrong = await deliveries('list', '--status', 'lost');
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /^There is no status "lost"; there are queued, sending,.*\n$/);
  const help = await deliveries('--help');
  assert.deepEqual([help.code, help.stderr, help.stdout.startsWith('usage: kedja deliveries')], [0, '', true]);
});

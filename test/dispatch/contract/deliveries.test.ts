// The rows of decision D9, each with what it answers and refuses: where a provider's webhooks go, what was sent, and
// what was given up. Who may is held by authorisation.test.ts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { INSTANT, PROVIDER, startDispatchContract, UNKNOWN } from '#test/support/dispatch/dispatch-contract.ts';
import { GUID, type Shape } from '#test/support/shape.ts';

const contract = await startDispatchContract({ after });
const { ask, database, expect, expectPage, pushed, refuse } = contract;
const as = 'admin';
const BODY = { url: 'http://127.0.0.1:8083/inbox', enabled: false };
const ENDPOINT = `/providers/${PROVIDER}/endpoint`;
const SECRET = /^whsec_[\w+/=-]+$/;
const VIEW: Shape = {
  ...BODY,
  provider_guid: PROVIDER,
  disabled_reason: 'administrator',
  is_hosted: true,
  previous_secret_valid_until: null,
  created_at: INSTANT,
  updated_at: INSTANT,
};
const DELIVERY: Readonly<Record<string, Shape>> = {
  delivery_guid: GUID,
  provider_guid: PROVIDER,
  request_guid: GUID,
  type: 'request.dispatched',
  status: 'held',
  attempts_made: 0,
  failures: 0,
  next_at: null,
  last_error: null,
  cancelled_reason: null,
  created_at: INSTANT,
  updated_at: INSTANT,
  delivered_at: null,
  dead_at: null,
  discard_reason: null,
};
const DEAD = { ...DELIVERY, status: 'dead', attempts_made: 1, failures: 1, last_error: 'timeout', dead_at: INSTANT };

/** A webhook that is held, as the endpoint is disabled. */
async function held(): Promise<string> {
  await ask(`PUT ${ENDPOINT}`, { as, body: BODY });
  const { request } = await pushed();
  const { body } = await ask(`GET /deliveries?request_guid=${request}`, { as });
  return String((body['data'] as { delivery_guid: string }[])[0]?.delivery_guid);
}

/** One that was given up after an attempt. */
async function dead(): Promise<string> {
  const guid = await held();
  const at = new Date(contract.clock.now());
  await database.query(
    `UPDATE delivery SET status = 'dead', attempt = 1, failures = 1, last_error = 'timeout', dead_at = $2 WHERE delivery_guid = $1`,
    [guid, at],
  );
  await database.query(`INSERT INTO delivery_attempt VALUES ($1, 1, $2, 15000, NULL, 'timeout', NULL)`, [guid, at]);
  return guid;
}

test('PUT /providers/{provider_guid}/endpoint: 201 with the secret, then 200 without; 400', async () => {
  await ask(`DELETE ${ENDPOINT}`, { as });
  await expect(`PUT ${ENDPOINT}`, { as, body: BODY }, 201, { ...(VIEW as object), secret: SECRET });
  await expect(`PUT ${ENDPOINT}`, { as, body: BODY }, 200, VIEW);
  for (const body of [{}, { url: 'ftp://127.0.0.1/' }, { url: 'https://10.0.0.1/' }, { ...BODY, secret: 'mine' }]) {
    await refuse(`PUT ${ENDPOINT}`, { as, body }, 400, 'validation_error');
  }
});

test('GET /providers/{provider_guid}/endpoint: 200 without the secret; 404', async () => {
  await ask(`PUT ${ENDPOINT}`, { as, body: BODY });
  await expect(`GET ${ENDPOINT}`, { as }, 200, VIEW);
  await refuse('GET /providers/nobody/endpoint', { as }, 404, 'not_found');
});

test('DELETE /providers/{provider_guid}/endpoint: 204 and then 404; what waits is cancelled', async () => {
  const guid = await held();
  await expect(`DELETE ${ENDPOINT}`, { as }, 204);
  await refuse(`DELETE ${ENDPOINT}`, { as }, 404, 'not_found');
  const { body } = await ask(`GET /deliveries/${guid}`, { as });
  assert.deepEqual([body['status'], body['cancelled_reason']], ['cancelled', 'endpoint_removed']);
});

test('POST …/endpoint/rotate-secret: 200 with the new one; 400, 404', async () => {
  await ask(`PUT ${ENDPOINT}`, { as, body: BODY });
  const address = `POST ${ENDPOINT}/rotate-secret`;
  await expect(address, { as }, 200, { secret: SECRET, previous_secret_valid_until: INSTANT });
  await expect(address, { as, body: { grace_hours: 0 } }, 200, { secret: SECRET, previous_secret_valid_until: null });
  for (const body of [{ grace_hours: -1 }, { grace_hours: 721 }, { grace_hours: 1.5 }, { hours: 1 }]) {
    await refuse(address, { as, body }, 400, 'validation_error');
  }
  await refuse('POST /providers/nobody/endpoint/rotate-secret', { as }, 404, 'not_found');
});

test('POST …/endpoint/ping: 202 with its delivery; 404, 409 while it is disabled', async () => {
  await ask(`PUT ${ENDPOINT}`, { as, body: BODY });
  await refuse(`POST ${ENDPOINT}/ping`, { as }, 409, 'conflict');
  await refuse('POST /providers/nobody/endpoint/ping', { as }, 404, 'not_found');
  await ask(`PUT ${ENDPOINT}`, { as, body: { ...BODY, enabled: true } });
  const { body } = await expect(`POST ${ENDPOINT}/ping`, { as }, 202, { delivery_guid: GUID });
  const ping = (await ask(`GET /deliveries/${body['delivery_guid']}`, { as })).body;
  assert.deepEqual([ping['type'], ping['request_guid']], ['ping', null]);
});

test('GET /deliveries: a page, by status, provider, request and type; 400 for another', async () => {
  const guid = await held();
  const { request_guid: request } = (await ask(`GET /deliveries/${guid}`, { as })).body;
  for (const filter of [`request_guid=${request}`, `provider_guid=${PROVIDER}&status=held&type=request.dispatched`]) {
    const { body, headers } = await expectPage(`GET /deliveries?${filter}`, { as }, DELIVERY);
    assert.ok(
      (body['data'] as { delivery_guid: string }[]).some((each) => each.delivery_guid === guid),
      filter,
    );
    assert.match(String(headers['link']), /rel="first"/);
  }
  const none = { data: [], page: 1, per_page: 20, total: 0 };
  await expect(`GET /deliveries?request_guid=${request}&type=request.revoked`, { as }, 200, none);
  for (const wrong of ['status=lost', 'type=pong', 'request_guid=1', 'per_page=201', 'page=0', 'since=2026-01-01Z']) {
    await refuse(`GET /deliveries?${wrong}`, { as }, 400, 'validation_error');
  }
});

test('GET /deliveries/{guid}: 200 with its attempts; 404', async () => {
  await expect(`GET /deliveries/${await held()}`, { as }, 200, { ...DELIVERY, attempts: [] });
  const attempt = {
    attempt: 1,
    started_at: INSTANT,
    duration_ms: 15_000,
    http_status: null,
    outcome: 'timeout',
    answer: null,
  };
  await expect(`GET /deliveries/${await dead()}`, { as }, 200, { ...DEAD, attempts: [attempt] });
  for (const guid of [UNKNOWN, 'none']) await refuse(`GET /deliveries/${guid}`, { as }, 404, 'not_found');
});

test('GET /dead-letters: a page of those alone, by provider and by when they died; 400', async () => {
  const guid = await dead();
  const died = new Date(contract.clock.now());
  const later = encodeURIComponent(new Date(died.getTime() + 1).toISOString());
  const { body } = await expectPage(`GET /dead-letters?provider_guid=${PROVIDER}`, { as }, DEAD);
  assert.ok((body['data'] as { delivery_guid: string }[]).some((each) => each.delivery_guid === guid));
  await expectPage(`GET /dead-letters?since=${encodeURIComponent(died.toISOString())}&until=${later}`, { as }, DEAD);
  const none = { data: [], page: 1, per_page: 20, total: 0 };
  for (const filter of ['provider_guid=nobody', `since=${later}`, 'until=2026-01-01T00:00:00Z']) {
    await expect(`GET /dead-letters?${filter}`, { as }, 200, none);
  }
  for (const wrong of ['since=yesterday', 'until=1', 'status=dead', 'per_page=0']) {
    await refuse(`GET /dead-letters?${wrong}`, { as }, 400, 'validation_error');
  }
});

test('POST /dead-letters/{guid}/replay: 202 with its state; 404, 409 when it is not dead', async () => {
  const guid = await dead();
  await expect(`POST /dead-letters/${guid}/replay`, { as }, 202, { delivery_guid: guid, status: 'held' });
  await refuse(`POST /dead-letters/${guid}/replay`, { as }, 409, 'conflict');
  for (const other of [UNKNOWN, 'none']) await refuse(`POST /dead-letters/${other}/replay`, { as }, 404, 'not_found');
});

test('POST /dead-letters/{guid}/discard: 200, and nobody sends it again; 400 without a reason, 404, 409', async () => {
  const guid = await dead();
  const discard = `POST /dead-letters/${guid}/discard`;
  const body = { reason: ' The provider has closed ' };
  for (const wrong of [{}, { reason: '' }, { reason: '  ' }, { reason: 'x'.repeat(501) }, { reason: 1 }])
    await refuse(discard, { as, body: wrong }, 400, 'validation_error');
  const discarded = { status: 'cancelled', cancelled_reason: 'discarded' };
  await expect(discard, { as, body }, 200, { delivery_guid: guid, ...discarded });
  const { body: read } = await ask(`GET /deliveries/${guid}`, { as });
  assert.deepEqual([read['status'], read['discard_reason']], ['cancelled', 'The provider has closed']);
  await refuse(discard, { as, body }, 409, 'conflict');
  await refuse(`POST /dead-letters/${guid}/replay`, { as }, 409, 'conflict');
  for (const other of [UNKNOWN, 'none'])
    await refuse(`POST /dead-letters/${other}/discard`, { as, body }, 404, 'not_found');
});

test('POST /dead-letters/replay: 202 with how many, by provider and by when they died; 400', async () => {
  await ask('POST /dead-letters/replay', { as });
  const [one, two] = [await dead(), await dead()];
  const replay = (body: object, replayed: number) =>
    expect('POST /dead-letters/replay', { as, body }, 202, { replayed });
  await replay({ provider_guid: 'nobody' }, 0);
  await replay({ until: new Date(contract.clock.now()).toISOString() }, 0);
  for (const body of [{ since: 'yesterday' }, { status: 'dead' }, { provider_guid: '' }]) {
    await refuse('POST /dead-letters/replay', { as, body }, 400, 'validation_error');
  }
  await replay({ provider_guid: PROVIDER, since: new Date(contract.clock.now()).toISOString() }, 2);
  for (const guid of [one, two]) assert.equal((await ask(`GET /deliveries/${guid}`, { as })).body['status'], 'held');
});

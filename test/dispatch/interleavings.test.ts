// Requesters, providers, the patient and two workers at once, in any order (contract: dispatch, "States and
// transitions"; decisions D3, D5 to D11). Whatever happens, the invariants hold. KEDJA_INTERLEAVINGS says how many
// runs.
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { listMatches } from '#services/dispatch/shared/match-store.ts';
import { makeActive } from '#services/dispatch/testing/samples.ts';
import { ENGINE, makeSite } from '#services/dispatch/testing/site.ts';
import { makeSiteWorker } from '#services/dispatch/testing/site-worker.ts';
import {
  assertPossible,
  attemptsOf,
  type RecordedRequest,
  statusesOf,
} from '#test/support/dispatch/dispatch-invariants.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const PROVIDERS = ['1', '2', '3'].map((number) => `019a0000-0000-7000-8000-00000000e00${number}`);
/** The last one has no endpoint: it is served by the feed. */
const WITH_ENDPOINT = PROVIDERS.slice(0, 2);
const providers = PROVIDERS.map((guid) => [guid, makePrincipal(['provider'], { kind: 'api_key', providerGuid: guid })]);
const site = await makeSite({ after }, Object.fromEntries(providers));
const { call, world, clock } = site;
let answers = 204;
const { worker, sent, expireOverdue } = makeSiteWorker(site, () => answers);
world.contracts = PROVIDERS.map((guid, index) => ({
  contract_guid: `c${index}`,
  provider_guid: guid,
  provider_name: guid,
}));
for (const guid of WITH_ENDPOINT) {
  const body = { url: `${ENGINE}/inbox`, enabled: true };
  assert.equal((await call('PUT', `providers/${guid}/endpoint`, { as: 'admin', body })).status, 201);
}

/** What each provider has read of its feed. */
const readers = new Map(PROVIDERS.map((guid) => [guid, { cursor: '', seen: new Map<string, RecordedRequest>() }]));

async function readFeed(provider: string): Promise<number> {
  const reader = readers.get(provider);
  assert.ok(reader);
  for (;;) {
    const cursor = reader.cursor === '' ? '' : `&cursor=${encodeURIComponent(reader.cursor)}`;
    const { body, status, text } = await call('GET', `requests?limit=3${cursor}`, { as: provider });
    assert.equal(status, 200, text);
    for (const item of body['requests'] as RecordedRequest[]) reader.seen.set(item.request_guid, item);
    reader.cursor = String(body['next_cursor']);
    if (body['has_more'] !== true) return status;
  }
}

const post = async (path: string, body?: unknown) =>
  (await call('POST', path, body === undefined ? {} : { body })).status;

async function decideConsent(decision: string): Promise<number> {
  const body = { resourceType: 'Consent', id: 'c1', status: 'active', subject: { reference: 'Patient/p1' }, decision };
  return (await call('PUT', 'Consent/c1', { body })).status;
}

async function matchOf(id: string, provider: string): Promise<string> {
  const { body } = await call('GET', `ServiceRequest/${id}/matches`);
  const matches = body['data'] as { match_guid: string; provider_guid: string }[];
  return String(matches.find((match) => match.provider_guid === provider)?.match_guid);
}

/** Within the second wave from now: the clock moves between waves. */
const soon = () => new Date(clock.now() + 45_000).toISOString();

interface Act {
  readonly what: string;
  readonly provider: string;
}

/** What a provider knows of this request. */
function knownOf(provider: string, id: string): RecordedRequest | undefined {
  return [...(readers.get(provider)?.seen.values() ?? [])].find((item) => item.service_request_id === id);
}

async function perform(id: string, { what, provider }: Act): Promise<number> {
  const [kind = '', detail] = what.split(' ');
  const known = knownOf(provider, id);
  switch (kind) {
    case 'push':
      return post(`ServiceRequest/${id}/push`, detail === undefined ? {} : { selection: detail });
    case 'push-soon':
      return post(`ServiceRequest/${id}/push`, { selection: detail, respond_by: soon() });
    case 'expire':
      await expireOverdue();
      return 200;
    case 'push-one':
      return post(`ServiceRequest/${id}/push/${await matchOf(id, provider)}`, { selection: detail });
    case 'respond':
      if (known === undefined) return 404;
      return post(`ServiceRequest/receipt/${known.receipt_token}/respond`, { decision: detail });
    case 'report':
      if (known === undefined) return 404;
      return (await call('PUT', `requests/${known.request_guid}/status`, { as: provider, body: { status: detail } }))
        .status;
    case 'consent':
      return decideConsent(String(detail));
    case 'feed':
      return readFeed(provider);
    case 'work':
      answers = Number(detail);
      await worker.runOnce();
      return 200;
    case 'form':
      return post(`ServiceRequest/${id}/forms`, { form_guid: 'none' });
    default:
      return post(`ServiceRequest/${id}/${kind}`);
  }
}

const ACTS = [
  ...['match', 'push', 'push first', 'push-one all', 'push-one first', 'push-soon all', 'expire'],
  ...['hold', 'resume', 'resume'],
  ...['archive', 'finalize', 'form'],
  ...[
    'respond accepted',
    'respond accepted',
    'respond rejected',
    'feed',
    'feed',
    'feed',
    'work 204',
    'work 503',
    'work 503',
  ],
  ...[
    'report acknowledged',
    'report in_progress',
    'report completed',
    'report rejected',
    'consent permit',
    'consent deny',
  ],
];
/** Nobody answers, so that revoking has its chance. */
const UNANSWERED = [
  'match',
  'push',
  'push first',
  'push-one all',
  'push-one first',
  'push-soon first',
  'expire',
  'hold',
  'resume',
  'revoke',
  'archive',
  'feed',
  'work 503',
  'consent permit',
  'consent deny',
];
const EXPECTED = new Set([200, 202, 403, 404, 409, 410, 422]);

/** What the first push asks for: all, all and the first of them, or one, so that others can be asked later. */
const OPENINGS: readonly Act[] = [
  'push',
  'push first',
  'push-one all',
  'push-one first',
  'push-soon all',
  'push-soon first',
].map((what) => ({
  what,
  provider: String(PROVIDERS[0]),
}));
/**
 * Acceptances by all at once under `first`, by those that are asked after another has accepted, and by those whose time
 * has run out. Also a request that is completed, and one that is revoked.
 */
const all = (what: string) => PROVIDERS.map((provider) => ({ what, provider }));
const EXAMPLES: [Act[][]][] = [
  [[all('push-soon all').slice(0, 1), all('work 503'), all('work 503'), all('respond accepted')]],
  [[all('push first').slice(0, 1), all('feed'), all('respond accepted'), all('respond accepted')]],
  [
    [
      all('push-one all').slice(0, 1),
      all('feed'),
      all('respond accepted'),
      all('push first'),
      all('feed'),
      all('respond accepted'),
    ],
  ],
  // What chance alone does not always reach in a few runs.
  [[all('push').slice(0, 1), all('feed'), all('respond accepted'), all('report completed')]],
  [[all('push').slice(0, 1), all('revoke').slice(0, 1)]],
];

const wave = (acts: readonly string[]) =>
  fc.array(fc.record({ what: fc.constantFrom(...acts), provider: fc.constantFrom(...PROVIDERS) }), {
    minLength: 4,
    maxLength: 20,
  });
const opened = (acts: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...OPENINGS), fc.array(wave(acts), { minLength: 3, maxLength: 5 }))
    .map(([opening, waves]) => [[opening], ...waves]);
const play = fc.oneof(opened(ACTS), opened([...ACTS, 'revoke']), opened(UNANSWERED));

test('random interleavings of all operations by many clients leave no impossible state', async () => {
  const outcomes = new Set<string>();
  const run = async (waves: readonly (readonly Act[])[]) => {
    await call('PUT', 'Patient/p1', { body: { resourceType: 'Patient', id: 'p1' } });
    await decideConsent('permit');
    const id = await makeActive(site);
    await post(`ServiceRequest/${id}/match`);
    for (const acts of waves) {
      const cancelled = await attemptsOf(site.database, 'cancelled');
      clock.move(30_000);
      const statuses = await Promise.all(acts.map((act) => perform(id, act)));
      for (const [index, status] of statuses.entries())
        assert.ok(EXPECTED.has(status), `${acts[index]?.what}: ${status}`);
      await assertPossible(site, id);
      if (acts === waves[0]) await Promise.all(PROVIDERS.map(readFeed));
      const now = await attemptsOf(site.database, 'cancelled');
      for (const [delivery, count] of cancelled)
        assert.equal(now.get(delivery), count, 'an attempt after a cancellation');
    }
    await expireOverdue();
    await assertPossible(site, id);
    await Promise.all(PROVIDERS.map(readFeed));
    await assertFeeds(id);
    outcomes.add((await statusesOf(site.database, id)).at(-1) ?? '');
    for (const { isExclusive, status } of await listMatches(site.database, id)) {
      if (isExclusive) outcomes.add('taken');
      if (status === 'expired') outcomes.add(status);
    }
  };
  const numRuns = Number(env['KEDJA_INTERLEAVINGS'] ?? 20);
  await fc.assert(fc.asyncProperty(play, run), { numRuns, endOnFailure: true, examples: EXAMPLES });
  assertSameBytes();
  for (const wanted of ['active', 'completed', 'revoked', 'taken', 'expired'])
    assert.ok(outcomes.has(wanted), `${wanted}: ${[...outcomes]}`);
});

/** Every pushed match is in its provider's feed as it is now, and has a delivery where there is an endpoint. */
async function assertFeeds(id: string): Promise<void> {
  const { body } = await call('GET', `ServiceRequest/${id}/matches?per_page=200`);
  for (const match of body['data'] as { provider_guid: string; request_guid?: string; status: string }[]) {
    if (match.request_guid === undefined) continue;
    const seen = readers.get(match.provider_guid)?.seen.get(match.request_guid);
    assert.ok(seen, 'a pushed match that the feed does not show');
    const closed = ['withdrawn', 'expired', 'rejected'];
    if (closed.includes(match.status) || closed.includes(seen.status)) {
      assert.ok(seen.status === match.status || match.status === 'accepted', `${seen.status}, but ${match.status}`);
    }
    const { body: sentTo } = await call(
      'GET',
      `deliveries?request_guid=${match.request_guid}&type=request.dispatched`,
      { as: 'admin' },
    );
    assert.equal(sentTo['total'], WITH_ENDPOINT.includes(match.provider_guid) ? 1 : 0);
  }
}

/** The bytes of all attempts of a delivery are the same. */
function assertSameBytes(): void {
  const bodies = new Map<string, string>();
  for (const { delivery, body } of sent) {
    assert.equal(body, bodies.get(delivery) ?? body);
    bodies.set(delivery, body);
  }
  assert.ok(sent.length > bodies.size, `some attempts were made again: ${sent.length} of ${bodies.size}`);
}

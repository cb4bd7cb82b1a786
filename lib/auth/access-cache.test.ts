import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccessBlob } from './access-blob.ts';
import { createAccessCache } from './access-cache.ts';
import type { TokenClaims } from './token-verifier.ts';

const START = Date.UTC(2030, 0, 1);

function makeCache(bounds: { maxEntries?: number; maxBytes?: number } = {}) {
  const clock = { time: START, now: () => clock.time };
  const cache = createAccessCache({ ttlMs: 5_000, maxEntries: 100, maxBytes: 1_000_000, ...bounds, clock });
  return { clock, cache };
}

function claimsOf(userGuid: string, lifetimeSeconds = 3600): TokenClaims {
  const issuedAt = START / 1000;
  return {
    userGuid,
    tokenId: `of-${userGuid}`,
    userType: 'patient',
    audience: 'kedja',
    issuedAt,
    expiresAt: issuedAt + lifetimeSeconds,
  };
}

function blobOf(userGuid: string, organisation = 'o1'): AccessBlob {
  return {
    user_guid: userGuid,
    email: 'a@example.org',
    is_su_admin: false,
    user_type: 'patient',
    fhir_resource_type: 'Patient',
    patient_guid: 'p1',
    organisation_guid: organisation,
    in_registry: false,
    registries: [],
  };
}

/** A lookup that the test finishes. */
function slowLoad() {
  let finish: (blob: AccessBlob | undefined) => void = () => undefined;
  const blob = new Promise<AccessBlob | undefined>((resolve) => {
    finish = resolve;
  });
  return { load: () => blob, finish };
}

test('concurrent callers share one lookup, and later ones are cached', async () => {
  const { cache } = makeCache();
  let loads = 0;
  const load = async () => {
    loads += 1;
    return blobOf('u1');
  };
  assert.equal(cache.findCached('t1'), undefined);
  const [one, other] = await Promise.all([1, 2].map(() => cache.get('t1', claimsOf('u1'), load)));
  assert.equal(one, other);
  assert.equal(cache.findCached('t1'), one);
  assert.deepEqual([loads, one?.principal.id], [1, 'u1']);
});

test('an entry expires by its time to live, counted from the start of the lookup, and with its token', async () => {
  const { cache, clock } = makeCache();
  const slow = slowLoad();
  const found = cache.get('t1', claimsOf('u1'), slow.load);
  clock.time += 4_000;
  slow.finish(blobOf('u1'));
  await found;
  await cache.get('t2', claimsOf('u2', 4 + 3), async () => blobOf('u2'));
  assert.ok(cache.findCached('t1') !== undefined && cache.findCached('t2') !== undefined);
  clock.time += 1_000;
  assert.equal(cache.findCached('t1'), undefined);
  clock.time += 2_000;
  assert.equal(cache.findCached('t2'), undefined);
});

test('a change that arrives during the lookup prevents the old blob from being cached', async () => {
  const { cache } = makeCache();
  const slow = slowLoad();
  const before = cache.get('t1', claimsOf('u1'), slow.load);
  cache.deleteUser('u1');
  const after = await cache.get('t1', claimsOf('u1'), async () => blobOf('u1', 'new'));
  slow.finish(blobOf('u1', 'old'));
  await before;
  assert.equal(cache.findCached('t1'), after);
  assert.deepEqual(after?.blob, blobOf('u1', 'new'));
  cache.deleteUser('u1');
  assert.equal(cache.findCached('t1'), undefined);
});

test('a lookup that was invalidated while it ran is not cached, also when all entries are dropped', async () => {
  const { cache } = makeCache();
  for (const forget of [() => cache.deleteUser('u1'), cache.deleteAll]) {
    const slow = slowLoad();
    const before = cache.get('t1', claimsOf('u1'), slow.load);
    forget();
    slow.finish(blobOf('u1'));
    await before;
    assert.equal(cache.findCached('t1'), undefined);
  }
});

test('a user who changed loses the entries of all their tokens, and others none', async () => {
  const { cache } = makeCache();
  for (const [token, user] of Object.entries({ t1: 'u1', t2: 'u1', t3: 'u2' })) {
    await cache.get(token, claimsOf(user), async () => blobOf(user));
  }
  cache.deleteUser('u1');
  assert.deepEqual(
    ['t1', 't2', 't3'].map((token) => cache.findCached(token) !== undefined),
    [false, false, true],
  );
});

test('a failed lookup is not cached', async () => {
  const { cache } = makeCache();
  await assert.rejects(cache.get('t1', claimsOf('u1'), () => Promise.reject(new Error('down'))));
  assert.ok((await cache.get('t1', claimsOf('u1'), async () => blobOf('u1'))) !== undefined);
});

test('entries are bounded in number, the oldest go first', async () => {
  const { cache } = makeCache({ maxEntries: 2 });
  for (const name of ['1', '2', '3']) await cache.get(`t${name}`, claimsOf(`u${name}`), async () => blobOf(`u${name}`));
  assert.deepEqual(
    ['t1', 't2', 't3'].map((token) => cache.findCached(token) !== undefined),
    [false, true, true],
  );
});

test('entries are bounded in bytes: a large blob evicts the small ones, or is itself not cached', async () => {
  const { cache } = makeCache({ maxBytes: 20_000 });
  const large = (size: number) => ({ ...blobOf('big'), registries: ['x'.repeat(size)] });
  for (const name of ['1', '2', '3']) await cache.get(`t${name}`, claimsOf(`u${name}`), async () => blobOf(`u${name}`));
  await cache.get('big', claimsOf('big'), async () => large(17_000));
  assert.deepEqual(
    ['t1', 't2', 't3', 'big'].map((token) => cache.findCached(token) !== undefined),
    [false, false, true, true],
  );
  const found = await cache.get('bigger', claimsOf('bigger'), async () => large(30_000));
  assert.ok(found !== undefined);
  assert.equal(cache.findCached('bigger'), undefined);
  await cache.get('t1', claimsOf('u1'), async () => blobOf('u1'));
  assert.ok(cache.findCached('t1') !== undefined);
});

test('tokens with the same end are different entries', async () => {
  const { cache } = makeCache();
  const end = 'x'.repeat(64);
  const [one, other] = [`one${end}`, `other${end}`];
  await cache.get(one, claimsOf('u1'), async () => blobOf('u1'));
  assert.equal(cache.findCached(other), undefined);
  const found = await cache.get(other, claimsOf('u2'), async () => blobOf('u2'));
  assert.deepEqual([found?.principal.id, cache.findCached(other)?.principal.id], ['u2', 'u2']);
  assert.equal(cache.findCached(one), undefined);
  const again = await cache.get(one, claimsOf('u1'), async () => blobOf('u1'));
  assert.deepEqual([again?.principal.id, cache.findCached(other)], ['u1', undefined]);
  cache.deleteUser('u1');
  assert.equal(cache.findCached(one), undefined);
});

test('a clock that is set back keeps no access for longer; one that is set forwards ends tokens alone', async () => {
  const clock = { time: START, passed: 0, now: () => clock.time, elapsed: () => clock.passed };
  const cache = createAccessCache({ ttlMs: 5_000, maxEntries: 100, maxBytes: 1_000_000, clock });
  await cache.get('token', claimsOf('u1', 60), async () => blobOf('u1'));
  clock.time += 30_000;
  assert.ok(cache.findCached('token'));
  clock.time -= 3_600_000;
  clock.passed += 5_000;
  assert.equal(cache.findCached('token'), undefined);
  await cache.get('token', claimsOf('u1', 60), async () => blobOf('u1'));
  clock.time = START + 60_000;
  assert.equal(cache.findCached('token'), undefined, 'the token has ended');
});

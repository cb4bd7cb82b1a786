import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { makePrincipal } from '#test/support/http-app.ts';
import type { ServiceError } from '../errors.ts';
import type { AccessBlob } from './access-blob.ts';
import { type ApiKeySource, type Authenticator, createAuthenticator } from './authenticator.ts';
import { createRevocationList, type RevocationEvent } from './revocation-list.ts';
import { createTokenVerifier, TOKEN_ALGORITHM, TOKEN_AUDIENCE, TOKEN_ISSUER } from './token-verifier.ts';

const pair = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true });
const otherPair = await generateKeyPair(TOKEN_ALGORITHM);
const publicKey = { ...(await exportJWK(pair.publicKey)), kid: 'k1', use: 'sig', alg: TOKEN_ALGORITHM };

const START = Date.UTC(2030, 0, 1);

function makeSite() {
  const clock = { time: START, now: () => clock.time };
  const feed: RevocationEvent[] = [];
  const state = {
    blobReads: 0,
    isIdentityUp: true,
    phases: ['planning'],
    sequences: [] as number[],
    pause: Promise.resolve() as Promise<void>,
  };
  const keys = [publicKey];
  const revocations = createRevocationList({
    clock,
    source: {
      readAfter: async (after) => {
        if (!state.isIdentityUp) throw new Error('down');
        return { events: feed.slice(after), sequence: feed.length, hasMore: false };
      },
    },
  });
  const tokens = createTokenVerifier({ keys: { load: async () => ({ keys: [...keys] }) }, clock });
  const authenticator = createAuthenticator({
    tokens,
    revocations,
    clock,
    serviceClients: [],
    blobs: {
      read: async (_token, claims, sequence) => {
        if (!state.isIdentityUp) throw Object.assign(new Error('down'), { code: 'upstream_unavailable' });
        state.blobReads += 1;
        state.sequences.push(sequence);
        const blob = professional(claims.userGuid, state.phases);
        await state.pause;
        return blob;
      },
    },
  });
  return { clock, feed, state, keys, revocations, tokens, authenticator };
}

function professional(userGuid: string, phases: string[]): AccessBlob {
  return {
    user_guid: userGuid,
    email: 'a@example.org',
    user_type: 'professional',
    is_su_admin: false,
    fhir_resource_type: 'Practitioner',
    professional_guid: 'p1',
    professional_role: 'nurse',
    organization_ids: ['o1'],
    groups: [],
    effective_phases: phases,
  };
}

async function sign(
  changes: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key = pair.privateKey,
) {
  const seconds = START / 1000;
  return new SignJWT({ user_type: 'professional', ...changes })
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: 'k1', ...header })
    .setIssuer(String(changes['iss'] ?? TOKEN_ISSUER))
    .setAudience(String(changes['aud'] ?? TOKEN_AUDIENCE))
    .setSubject('u1')
    .setJti(String(changes['jti'] ?? 'j1'))
    .setIssuedAt(seconds)
    .setNotBefore(Number(changes['nbf'] ?? seconds))
    .setExpirationTime(Number(changes['exp'] ?? seconds + 3600))
    .sign(key);
}

async function codeOf(authenticator: Authenticator, token: string): Promise<string> {
  return authenticator.authenticate({ authorization: `Bearer ${token}` }).then(
    () => 'ok',
    (error: ServiceError) => error.code,
  );
}

test('a good token gives the principal of its access blob, read once in five seconds', async () => {
  const { clock, state, revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const token = await sign();
  const principal = await authenticator.authenticate({ authorization: `Bearer ${token}` });
  assert.deepEqual([principal?.id, principal?.tokenId, [...(principal?.phases ?? [])]], ['u1', 'j1', ['planning']]);
  await codeOf(authenticator, token);
  assert.equal(state.blobReads, 1);
  clock.time += 5_001;
  await revocations.refresh();
  await codeOf(authenticator, token);
  assert.equal(state.blobReads, 2);
});

test('tokens that are forged, foreign, expired, not yet valid or sloppily encoded are refused', async () => {
  const { revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const good = await sign();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const none = Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url');
  const bad: Record<string, string> = {
    'another key': await sign({}, {}, otherPair.privateKey),
    'unknown kid': await sign({}, { kid: 'k2' }),
    'another issuer': await sign({ iss: 'someone' }),
    'another audience': await sign({ aud: 'someone' }),
    expired: await sign({ exp: START / 1000 - 1 }),
    'not yet valid': await sign({ nbf: START / 1000 + 60 }),
    'unknown user type': await sign({ user_type: 'robot' }),
    'no algorithm': `${none}.${payload}.`,
    padded: `${header}.${payload}.${signature}=`,
    'four parts': `${good}.`,
    empty: '..',
    'trailing bits': `${header}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
    'other payload': `${header}.${Buffer.from('{}').toString('base64url')}.${signature}`,
  };
  for (const [name, token] of Object.entries(bad))
    assert.equal(await codeOf(authenticator, token), 'unauthorized', name);
  for (const authorization of ['', 'Bearer', 'Basic abc', `Bearer ${good} x`]) {
    await assert.rejects(authenticator.authenticate({ authorization }), { code: 'unauthorized' }, authorization);
  }
  assert.equal(await codeOf(authenticator, good), 'ok');
});

test('a revoked token is refused as soon as the feed says so', async () => {
  const { feed, revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const token = await sign();
  assert.equal(await codeOf(authenticator, token), 'ok');
  feed.push({ kind: 'token_revoked', tokenId: 'j1', expiresAt: START / 1000 + 3600 });
  await revocations.refresh();
  assert.equal(await codeOf(authenticator, token), 'unauthorized');
});

test('a change of the user takes effect with the feed, not with the cache', async () => {
  const { feed, state, revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const headers = { authorization: `Bearer ${await sign()}` };
  await authenticator.authenticate(headers);
  state.phases = [];
  feed.push({ kind: 'user_changed', userGuid: 'u1' });
  await revocations.refresh();
  assert.equal((await authenticator.authenticate(headers))?.phases.size, 0);
});

test('with a stale list identity is asked each time, and when it is down every token is refused', async () => {
  const { clock, state, revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const token = await sign();
  await codeOf(authenticator, token);
  clock.time += 2_001;
  await codeOf(authenticator, token);
  await codeOf(authenticator, token);
  assert.equal(state.blobReads, 3);
  state.isIdentityUp = false;
  assert.equal(await codeOf(authenticator, token), 'upstream_unavailable');
});

test('a refresh asked for while one runs sees what was committed before it was asked for', async () => {
  const { feed, revocations } = makeSite();
  const first = revocations.refresh();
  feed.push({ kind: 'token_revoked', tokenId: 'late', expiresAt: START / 1000 + 60 });
  await Promise.all([first, revocations.refresh()]);
  assert.ok(revocations.isRevoked('late'));
});

test('tokens with unknown key ids that come at once look the keys up once', async () => {
  const { clock } = makeSite();
  const waiting: Array<() => void> = [];
  let loads = 0;
  const load = async () => {
    loads += 1;
    if (loads > 1) await new Promise<void>((resolve) => waiting.push(resolve));
    return { keys: [publicKey] };
  };
  const tokens = createTokenVerifier({ keys: { load }, clock });
  await tokens.refreshKeys();
  clock.time += 1_000;
  const unknown = await Promise.all(['a', 'b', 'c'].map((kid) => sign({}, { kid })));
  const verdicts = Promise.all(unknown.map((token) => tokens.verify(token)));
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const resolve of waiting) resolve();
  assert.deepEqual(await verdicts, [undefined, undefined, undefined]);
  assert.equal(loads, 2);
});

test('unknown API keys take no memory: long ones are not stored', async () => {
  const { clock, revocations, tokens } = makeSite();
  const apiKeys = { read: async () => undefined };
  const blobs = { read: async () => undefined };
  const authenticator = createAuthenticator({ tokens, revocations, clock, serviceClients: [], blobs, apiKeys });
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 2_000; index += 1) {
    const headers = { 'x-api-key': Array.from({ length: 4_000 }, () => `${index}`).join('') };
    await assert.rejects(authenticator.authenticate(headers), { code: 'unauthorized' });
  }
  collect();
  assert.ok(process.memoryUsage().heapUsed - before < 10_000_000);
  // It is still in use, so its memory was not freed.
  await assert.rejects(authenticator.authenticate({ 'x-api-key': 'x' }), { code: 'unauthorized' });
});

test('a valid API key is cached for two seconds', async () => {
  const { clock, revocations, tokens } = makeSite();
  let asked = 0;
  let isLive = true;
  const key = makePrincipal(['api_key'], { kind: 'api_key' });
  const apiKeys = {
    read: async (text: string) => {
      asked += 1;
      return isLive && text === 'right' ? key : undefined;
    },
  };
  const blobs = { read: async () => undefined };
  const authenticator = createAuthenticator({ tokens, revocations, clock, serviceClients: [], blobs, apiKeys });
  const headers = { 'x-api-key': 'right' };
  assert.equal(authenticator.findCached(headers), undefined);
  assert.equal(await authenticator.authenticate(headers), key);
  isLive = false;
  clock.time += 1_999;
  assert.equal(authenticator.findCached(headers), key);
  assert.equal(await authenticator.authenticate(headers), key);
  assert.equal(authenticator.findCached({ ...headers, authorization: 'Bearer x' }), undefined);
  assert.equal(asked, 1);
  clock.time += 1;
  assert.equal(authenticator.findCached(headers), undefined);
  await assert.rejects(authenticator.authenticate(headers), { code: 'unauthorized' });
  await assert.rejects(authenticator.authenticate({ 'x-api-key': 'wrong' }), { code: 'unauthorized' });
  assert.equal(authenticator.findCached({ 'x-api-key': 'wrong' }), undefined);
});

test('cached API keys are dropped as soon as keys change on the node, also those that are being read', async () => {
  const { clock, revocations, tokens } = makeSite();
  const key = makePrincipal(['api_key'], { kind: 'api_key' });
  let isLive = true;
  let pause: Promise<void> | undefined;
  let changed: () => void = () => assert.fail('nobody listens');
  const apiKeys: ApiKeySource = {
    read: async () => {
      const found = isLive ? key : undefined;
      await pause;
      return found;
    },
    cacheMs: 1_000,
    onChanged: (listener) => {
      changed = listener;
    },
  };
  const blobs = { read: async () => undefined };
  const authenticator = createAuthenticator({ tokens, revocations, clock, serviceClients: [], blobs, apiKeys });
  const headers = { 'x-api-key': 'right' };
  assert.equal(await authenticator.authenticate(headers), key);
  clock.time += 999;
  assert.equal(authenticator.findCached(headers), key);
  clock.time += 1;
  assert.equal(authenticator.findCached(headers), undefined);

  const { promise, resolve } = Promise.withResolvers<void>();
  pause = promise;
  const under = authenticator.authenticate(headers);
  isLive = false;
  changed();
  resolve();
  assert.equal(await under, key, 'it came before the change');
  assert.equal(authenticator.findCached(headers), undefined);
  await assert.rejects(authenticator.authenticate(headers), { code: 'unauthorized' });

  isLive = true;
  changed();
  assert.equal(await authenticator.authenticate(headers), key);
  assert.equal(authenticator.findCached(headers), key);
});

test('a cached caller is admitted without a lookup, until the feed, a stale list or a removed key forbids it', async () => {
  const { clock, feed, revocations, tokens, authenticator, keys } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const headers = { authorization: `Bearer ${await sign()}` };
  assert.equal(authenticator.findCached(headers), undefined);
  const principal = await authenticator.authenticate(headers);
  assert.ok(principal !== undefined);
  assert.equal(authenticator.findCached(headers), principal);
  assert.equal(authenticator.blobOf(principal)?.user_guid, 'u1');
  assert.equal(authenticator.findCached({ authorization: `${headers.authorization}x` }), undefined);

  clock.time += 2_001;
  assert.equal(authenticator.findCached(headers), undefined, 'a stale list vouches for nobody');
  await revocations.refresh();
  assert.equal(authenticator.findCached(headers), principal);

  feed.push({ kind: 'user_changed', userGuid: 'u1' });
  await revocations.refresh();
  assert.equal(authenticator.findCached(headers), undefined, 'the user changed');
  await authenticator.authenticate(headers);
  assert.ok(authenticator.findCached(headers) !== undefined);

  keys.splice(0);
  await tokens.refreshKeys();
  assert.equal(authenticator.findCached(headers), undefined, 'the key is gone');
  await assert.rejects(authenticator.authenticate(headers), { code: 'unauthorized' });
  keys.push(publicKey);
  await tokens.refreshKeys();
  await authenticator.authenticate(headers);

  feed.push({ kind: 'token_revoked', tokenId: 'j1', expiresAt: START / 1000 + 3600 });
  await revocations.refresh();
  assert.equal(authenticator.findCached(headers), undefined, 'the token is revoked');
  await assert.rejects(authenticator.authenticate(headers), { code: 'unauthorized' });
});

test('a change that arrives during the lookup is not hidden by the old blob', async () => {
  const { feed, state, revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const headers = { authorization: `Bearer ${await sign()}` };
  let release: () => void = () => undefined;
  state.pause = new Promise((resolve) => {
    release = resolve;
  });
  const before = authenticator.authenticate(headers);
  while (state.blobReads === 0) await new Promise((resolve) => setImmediate(resolve));
  state.phases = [];
  feed.push({ kind: 'user_changed', userGuid: 'u1' });
  await revocations.refresh();
  release();
  assert.deepEqual([...((await before)?.phases ?? [])], ['planning'], 'it began before the change');
  assert.equal(authenticator.findCached(headers), undefined);
  assert.equal((await authenticator.authenticate(headers))?.phases.size, 0);
});

test('a service that has read further in the feed than this node gets no cached caller', async () => {
  const { feed, state, revocations, tokens, authenticator } = makeSite();
  await tokens.refreshKeys();
  await revocations.refresh();
  const token = await sign();
  const headers = { authorization: `Bearer ${token}` };
  await authenticator.authenticateToken(token);
  state.phases = [];
  feed.push({ kind: 'user_changed', userGuid: 'u1' });
  assert.equal(authenticator.findCached(headers, 0)?.phases.size, 1);
  assert.equal(authenticator.findCached(headers, 1), undefined);
  assert.equal((await authenticator.authenticateToken(token, { sequence: 1 })).phases.size, 0);
  await revocations.refresh();
  await authenticator.authenticateToken(token, { sequence: 1 });
  assert.equal(authenticator.findCached(headers, 1)?.phases.size, 0);
  assert.deepEqual(state.sequences, [0, 1, 1], 'the source gets the least position of the blob');
});

// Rotation of signing keys (decision I1) on three nodes, with a verifier like that of engine and dispatch. Nobody is
// signed out, and a retired or revoked key verifies no token.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import { createIdentityClient } from '#clients/identity-client.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createIdentityLink } from '#lib/auth/identity-link.ts';
import { TOKEN_ALGORITHM, TOKEN_AUDIENCE, TOKEN_ISSUER } from '#lib/auth/token-verifier.ts';
import { MINUTE_MS } from '#lib/clock.ts';
import { newGuid } from '#lib/guid.ts';
import { injectFetch } from '#lib/http/upstream/service-fetch.ts';
import { fixedKeys, type KeySet } from '#lib/secrets/key-set.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually, promptly } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import {
  type HandClock,
  handClock,
  type Identity,
  identityDatabase,
  SEALING_KEYS,
  SERVICE,
  startIdentity,
} from '#test/support/identity/identity.ts';
import { auditedEvents } from '#test/support/identity/identity-people.ts';
import { createRevocations } from '../revocations/service.ts';
import { createKeyMaterial, signingKeyCipher } from './key-material.ts';
import { createKeyRotation, PUBLISHED_BEFORE_MS } from './rotation.ts';
import { createSigningKeys } from './service.ts';
import { readKeys, type SigningKeyRow } from './store.ts';

const hooks = lastFirst({ after });
const TTL_MS = 3600_000;

function rotationOn(node: Identity, clock: HandClock, keys: KeySet = SEALING_KEYS) {
  const { database } = node;
  return createKeyRotation({
    database,
    clock,
    audit: createAudit({ database, clock, service: 'identity' }),
    revocations: createRevocations({ database, clock }),
    material: createKeyMaterial(keys),
  });
}

/** Verifies tokens as the other services do. */
function startVerifier(node: Identity, clock: HandClock) {
  const client = createIdentityClient({ fetch: injectFetch(() => node.app), credentials: SERVICE });
  const log = makeTestLogger();
  const link = createIdentityLink({ keys: client.keys, revocationSource: client.revocations, clock, log });
  const { tokens, revocations, loop } = link;
  loop.start();
  hooks.after(() => loop.stop());
  const authenticator = createAuthenticator({ tokens, revocations, blobs: client.blobs, serviceClients: [], clock });
  return async (authorization: string) =>
    authenticator.authenticate({ authorization }).then(
      () => 200,
      (error: { status: number }) => error.status,
    );
}

async function startSite(count = 1) {
  const on = await identityDatabase(hooks);
  const clock = handClock();
  const a = await startIdentity(hooks, { on, clock });
  const nodes = [a];
  // Starts the nodes one after the other; another test starts them at once.
  while (nodes.length < count) nodes.push(await startIdentity(hooks, { on, clock }));
  const verify = startVerifier(nodes[1] ?? a, clock);
  const statuses = async ({ authorization }: { authorization: string }) => {
    const asked = nodes.map((node) => node.app.inject({ url: '/api/auth/me', headers: { authorization } }));
    return [...(await Promise.all(asked)).map(({ statusCode }) => statusCode), await verify(authorization)];
  };
  const untilRefused = (what: string, headers: { authorization: string }) =>
    promptly(what, async () => ((await statuses(headers)).every((each) => each === 401) ? true : undefined), 2_000);
  const published = (node: Identity) =>
    node.app
      .inject('/.well-known/jwks.json')
      .then((answer) => answer.json().keys.map((key: { kid: string }) => key.kid));
  return { nodes, a, clock, rotation: rotationOn(a, clock), statuses, untilRefused, published };
}

const kidOf = ({ authorization }: { authorization: string }) => decodeProtectedHeader(authorization.slice(7)).kid;
const userOf = ({ authorization }: { authorization: string }) => String(decodeJwt(authorization.slice(7)).sub);

function privatePartOf(row: Pick<SigningKeyRow, 'key_id' | 'private_sealed'>) {
  const cipher = signingKeyCipher(SEALING_KEYS);
  return JSON.parse(cipher.open(row.private_sealed ?? Buffer.of(), row.key_id));
}

/** Forges a token with the private part of the present key, as after a leak. */
async function thief(node: Identity, clock: HandClock) {
  const row = (await readKeys(node.database)).at(-1);
  assert.ok(row !== undefined);
  const key = await importJWK(privatePartOf(row), TOKEN_ALGORITHM);
  return async (userGuid: string) => {
    const seconds = Math.floor(clock.now() / 1000);
    const token = await new SignJWT({ user_type: 'professional' })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: row.key_id, typ: 'JWT' })
      .setIssuer(TOKEN_ISSUER)
      .setAudience(TOKEN_AUDIENCE)
      .setSubject(userGuid)
      .setJti(newGuid())
      .setIssuedAt(seconds)
      .setNotBefore(seconds)
      .setExpirationTime(seconds + 600)
      .sign(key);
    return { authorization: `Bearer ${token}` };
  };
}

test('a rotation signs nobody out; the old key is deleted when its last token has expired, and then verifies nothing', async () => {
  const { nodes, a, clock, rotation, statuses, untilRefused, published } = await startSite(3);
  const forge = await thief(a, clock);
  const early = await a.asAdmin();
  const first = kidOf(early);
  assert.deepEqual(await statuses(early), [200, 200, 200, 200]);

  const { keyId: second, isNew } = await rotation.rotate();
  assert.equal(isNew, true);
  for (const node of nodes) assert.deepEqual(await published(node), [first, second], 'published at once');
  clock.advance(PUBLISHED_BEFORE_MS - 30_000);
  const late = await a.asAdmin();
  assert.equal(kidOf(late), first, 'and signs only later');

  clock.advance(30_000);
  const young = await Promise.all(nodes.map((node) => node.asAdmin()));
  assert.deepEqual(young.map(kidOf), [second, second, second]);
  for (const headers of [early, late, ...young]) assert.deepEqual(await statuses(headers), [200, 200, 200, 200]);

  await rotation.retire();
  assert.ok(
    (await readKeys(a.database)).every((key) => key.private_sealed !== null),
    'a clock behind may still need it',
  );
  clock.advance(MINUTE_MS);
  await rotation.retire();
  const [retired] = await rotation.list();
  assert.deepEqual([retired?.keyId, retired?.state, retired?.tokens], [first, 'retired', 2]);
  assert.equal((await readKeys(a.database))[0]?.private_sealed, null, 'signs no more, so its private part is gone');
  for (const headers of [early, late, ...young]) assert.deepEqual(await statuses(headers), [200, 200, 200, 200]);

  clock.advance(TTL_MS - 2 * MINUTE_MS);
  await rotation.retire();
  assert.deepEqual(await statuses(late), [200, 200, 200, 200], 'its last token lives');
  assert.deepEqual(await published(a), [first, second]);

  clock.advance(3 * MINUTE_MS);
  await rotation.retire();
  for (const node of nodes) assert.deepEqual(await published(node), [second]);
  await untilRefused('a token signed by the retired key is refused', await forge(userOf(early)));
  assert.deepEqual(await statuses(await a.asAdmin()), [200, 200, 200, 200]);
  assert.equal((await rotation.list()).length, 1);
});

test('of ten concurrent rotations one creates a key, and the others report it', async () => {
  const { a, clock, rotation, published } = await startSite();
  const rotations = await Promise.all(Array.from({ length: 10 }, () => rotationOn(a, clock).rotate()));
  assert.deepEqual(
    [rotations.filter(({ isNew }) => isNew).length, new Set(rotations.map(({ keyId }) => keyId)).size],
    [1, 1],
  );
  assert.equal((await published(a)).length, 2);
  assert.deepEqual(
    (await rotation.list()).map(({ state }) => state),
    ['signing', 'published'],
  );
});

test('a leaked key is revoked: within two seconds no node accepts its tokens or forged ones', async () => {
  const { nodes, a, clock, rotation, statuses, untilRefused } = await startSite(3);
  const forge = await thief(a, clock);
  const headers = await a.asAdmin();
  const forged = await forge(userOf(headers));
  assert.deepEqual(await statuses(forged), [200, 200, 200, 200], 'a holder of the key may be anyone');
  const leaked = String(kidOf(headers));
  const revoked = await rotation.revoke(leaked);
  assert.deepEqual([revoked?.tokens, revoked?.users], [1, 1]);
  await untilRefused('the user’s token is refused', headers);
  await untilRefused('the forged token is refused', forged);
  await eventually('all nodes sign with the successor', async () => {
    const kids = await Promise.all(nodes.map((node) => node.asAdmin().then(kidOf, () => undefined)));
    return kids.every((kid) => kid === revoked?.signingKeyId) ? true : undefined;
  });
  assert.deepEqual(await statuses((await nodes[2]?.asAdmin()) ?? headers), [200, 200, 200, 200]);
  assert.equal(await rotation.revoke(leaked), undefined, 'there is no such key any more');
  const events = await auditedEvents(a);
  assert.equal(events.filter((event) => event === 'signing-key.revoke').length, 1);
});

test('with a key that waits to sign, the leaked one is replaced by it', async () => {
  const { a, clock, rotation } = await startSite();
  const leaked = String(kidOf(await a.asAdmin()));
  const { keyId } = await rotation.rotate();
  assert.equal((await rotationOn(a, clock).revoke(leaked))?.signingKeyId, keyId);
  assert.deepEqual(
    (await rotation.list()).map(({ state }) => state),
    ['signing'],
  );
});

test('a sign-in whose key is revoked meanwhile gets 503 and may try again', async () => {
  const { a, clock } = await startSite();
  const revocations = createRevocations({ database: a.database, clock });
  const [issuedAt, expiresAt] = [new Date(clock.now()), new Date(clock.now() + TTL_MS)];
  const from = { address: null, userAgent: null, tenant: null };
  const token = { tokenId: newGuid(), userGuid: newGuid(), issuedAt, expiresAt, ...from };
  const issue = (keyId: string) => a.database.transaction((tx) => revocations.recordIssued(tx, { ...token, keyId }));
  await assert.rejects(issue('gone'), { code: 'unavailable' });
  await issue(String((await readKeys(a.database))[0]?.key_id));
});

test('private parts are sealed; one that an earlier version left in the clear is sealed at start', async () => {
  const { a, clock } = await startSite();
  const { database } = a;
  const material = createKeyMaterial(SEALING_KEYS);
  const made = await material.make({ now: clock.now(), signsFrom: clock.now() });
  const clear = privatePartOf(made);
  await database.query('DELETE FROM issued_token');
  await database.query('DELETE FROM signing_key');
  await database.query(
    'INSERT INTO signing_key (key_id, public_jwk, private_jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $4)',
    [made.key_id, made.public_jwk, clear, made.created_at],
  );
  const keys = createSigningKeys({ database, clock, material });
  await keys.ensure();
  const { rows } = await database.query<{ private_jwk: unknown; private_sealed: Buffer }>('SELECT * FROM signing_key');
  assert.deepEqual([rows.length, rows[0]?.private_jwk], [1, null]);
  assert.ok(rows[0] !== undefined && !rows[0].private_sealed.toString('latin1').includes(String(clear.d)));
  await keys.refresh();
  const claims = {
    userGuid: newGuid(),
    tokenId: newGuid(),
    userType: 'patient',
    audience: 'kedja',
    issuedAt: 1,
    expiresAt: 2,
  } as const;
  assert.equal((await keys.sign(claims)).keyId, made.key_id);
});

test('with another secret than the nodes’ nothing is rotated', async () => {
  const { a, clock, rotation } = await startSite();
  await assert.rejects(rotationOn(a, clock, fixedKeys(Buffer.alloc(32, 9))).rotate(), /sealed with another key/);
  assert.equal((await rotation.list()).length, 1);
});

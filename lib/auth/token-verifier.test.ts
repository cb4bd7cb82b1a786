// Which tokens count (decision I1), as a table of forgeries; and how a verifier follows the published keys.
import assert from 'node:assert/strict';
import { createHmac, createPublicKey, sign as signBytes } from 'node:crypto';
import { test } from 'node:test';
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair, type JWK } from 'jose';
import { ServiceError } from '../errors.ts';
import { createTokenVerifier, TOKEN_ALGORITHM, TOKEN_AUDIENCE, TOKEN_ISSUER } from './token-verifier.ts';

const START = Date.UTC(2030, 0, 1);
const SECOND = START / 1000;

async function makeKey(kid: string) {
  const pair = await generateKeyPair(TOKEN_ALGORITHM, { extractable: true });
  const published: JWK = { ...(await exportJWK(pair.publicKey)), kid, use: 'sig', alg: TOKEN_ALGORITHM };
  return { kid, published, secret: await exportPKCS8(pair.privateKey), spki: await exportSPKI(pair.publicKey) };
}
type Key = Awaited<ReturnType<typeof makeKey>>;

const [first, second] = await Promise.all([makeKey('k1'), makeKey('k2')]);

const HEADER = { alg: TOKEN_ALGORITHM, kid: 'k1', typ: 'JWT' };
const CLAIMS = {
  user_type: 'professional',
  iss: TOKEN_ISSUER,
  aud: TOKEN_AUDIENCE,
  sub: 'u1',
  jti: 'j1',
  iat: SECOND,
  nbf: SECOND,
  exp: SECOND + 3600,
};
const encode = (text: string | Buffer) => Buffer.from(text).toString('base64url');

/** A token of exactly these texts with a valid signature. */
function signText(header: string, payload: string, key: Key = first): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${encode(signBytes('sha256', Buffer.from(input), key.secret))}`;
}
const make = (claims: object = {}, header: object = {}, key: Key = first) =>
  signText(JSON.stringify({ ...HEADER, ...header }), JSON.stringify({ ...CLAIMS, ...claims }), key);
const without = (name: keyof typeof CLAIMS) => {
  const { [name]: _, ...rest } = CLAIMS;
  return signText(JSON.stringify(HEADER), JSON.stringify(rest));
};

function makeVerifier(published: Key[] = [first]) {
  const clock = { time: START, now: () => clock.time };
  const source = { published, loads: 0, isDown: false };
  const load = async () => {
    source.loads += 1;
    if (source.isDown) throw new ServiceError('upstream_unavailable', 'down');
    return { keys: source.published.map((key) => key.published) };
  };
  return { clock, source, tokens: createTokenVerifier({ keys: { load }, clock }) };
}

function hs256(secret: string | Buffer): string {
  const input = `${encode(JSON.stringify({ ...HEADER, alg: 'HS256' }))}.${encode(JSON.stringify(CLAIMS))}`;
  return `${input}.${encode(createHmac('sha256', secret).update(input).digest())}`;
}

/** The same bytes in a second spelling of base64url: other trailing bits. */
function otherTrailingBits(part: string): string {
  const bytes = Buffer.from(part, 'base64url');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const variant = [...alphabet]
    .map((letter) => part.slice(0, -1) + letter)
    .find((text) => text !== part && Buffer.from(text, 'base64url').equals(bytes));
  assert.ok(variant !== undefined, 'the part has no spare bits');
  return variant;
}

function forgeries(): Record<string, string> {
  const good = make();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const text = JSON.stringify(CLAIMS);
  const head = JSON.stringify(HEADER);
  const spki = createPublicKey(first.spki);
  return {
    empty: '',
    'no parts': '..',
    'one part': header,
    'two parts': `${header}.${payload}`,
    'four parts': `${good}.${signature}`,
    'a dot at the end': `${good}.`,
    'an encrypted token’s five parts': `${header}.${payload}.${signature}.${payload}.${signature}`,
    'no signature': `${header}.${payload}.`,
    'a blank in front': ` ${good}`,
    'a line end': `${good}\n`,
    padding: `${good}=`,
    'padding in the header': `${header}=.${payload}.${signature}`,
    'plain base64': `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    'a blank within': `${header}.${payload.slice(0, 8)} ${payload.slice(8)}.${signature}`,
    'trailing bits': `${header}.${payload}.${otherTrailingBits(signature)}`,
    'another payload': `${header}.${encode(JSON.stringify({ ...CLAIMS, sub: 'u2' }))}.${signature}`,
    'another header': `${encode(JSON.stringify({ ...HEADER, typ: 'jwt' }))}.${payload}.${signature}`,
    'a cut signature': `${header}.${payload}.${signature.slice(0, -4)}`,
    'a huge token': make({ note: 'x'.repeat(4096) }),
    'alg none': `${encode('{"alg":"none","kid":"k1"}')}.${payload}.`,
    'alg none, signed': make({}, { alg: 'none' }),
    'alg in capitals': make({}, { alg: 'rs256' }),
    'alg RS384': make({}, { alg: 'RS384' }),
    'alg RS512': make({}, { alg: 'RS512' }),
    'alg PS256': make({}, { alg: 'PS256' }),
    'alg missing': signText('{"kid":"k1","typ":"JWT"}', text),
    'HS256 with the public key as PEM': hs256(first.spki),
    'HS256 with the public key as DER': hs256(spki.export({ type: 'spki', format: 'der' })),
    'HS256 with the modulus': hs256(Buffer.from(String(first.published.n), 'base64url')),
    'HS256 with the published key': hs256(JSON.stringify(first.published)),
    'kid missing': signText('{"alg":"RS256","typ":"JWT"}', text),
    'kid unknown': make({}, { kid: 'k9' }),
    'kid of another key': make({}, { kid: 'k1' }, second),
    'kid a number': make({}, { kid: 1 }),
    'kid a path': make({}, { kid: '../../dev/null' }),
    crit: make({}, { crit: ['exp'] }),
    'crit with b64': make({}, { crit: ['b64'], b64: false }),
    'a key of its own': make({}, { jwk: second.published }, second),
    'a key set of its own': make({}, { jku: 'https://example.org/jwks.json' }),
    'a certificate of its own': make({}, { x5c: ['AA=='] }),
    'a header that is no object': signText('[]', text),
    'a header with a member twice': signText('{"alg":"none","alg":"RS256","kid":"k1","typ":"JWT"}', text),
    'a header with blanks': signText(head.replace(',', ', '), text),
    'a payload that is no object': signText(head, '"u1"'),
    'a payload that is null': signText(head, 'null'),
    'a payload that is no JSON': signText(head, '{'),
    'a claim twice': signText(head, text.replace('"sub":"u1"', '"sub":"u1","sub":"u2"')),
    'a claim twice, escaped': signText(head, text.replace('"sub":"u1"', '"sub":"u1","\\u0073ub":"u2"')),
    'blanks in the payload': signText(head, text.replace(',', ',\n')),
    'another issuer': make({ iss: 'someone' }),
    'several issuers': make({ iss: [TOKEN_ISSUER] }),
    'another audience': make({ aud: 'someone' }),
    expired: make({ exp: SECOND - 1 }),
    'expired this moment': make({ exp: SECOND }),
    'expired, within the leeway for clocks': make({ exp: SECOND - 3 }),
    'not yet valid': make({ nbf: SECOND + 6 }),
    'issued in the future': make({ iat: SECOND + 6 }),
    'an end that is a text': make({ exp: String(SECOND + 3600) }),
    'an end beyond numbers': signText(head, text.replace(String(SECOND + 3600), '1e999')),
    'an unknown user type': make({ user_type: 'robot' }),
    'a subject that is a number': make({ sub: 1 }),
    'an identifier that is a number': make({ jti: 1 }),
    'without an issuer': without('iss'),
    'without an audience': without('aud'),
    'without a subject': without('sub'),
    'without an identifier': without('jti'),
    'without a time of issue': without('iat'),
    'without a beginning': without('nbf'),
    'without an end': without('exp'),
    'without a user type': without('user_type'),
  };
}

test('a token as identity writes it counts, also from a node whose clock is five seconds ahead', async () => {
  const { tokens } = makeVerifier();
  await tokens.refreshKeys();
  const claims = {
    userGuid: 'u1',
    tokenId: 'j1',
    userType: 'professional',
    audience: 'kedja',
    issuedAt: SECOND,
    expiresAt: SECOND + 3600,
  };
  assert.deepEqual(await tokens.verify(make()), claims);
  assert.equal((await tokens.verify(make({ iat: SECOND + 5, nbf: SECOND + 5 })))?.tokenId, 'j1');
});

test('a token for one application is valid only where that audience is requested, also when it is cached', async () => {
  const { tokens } = makeVerifier();
  await tokens.refreshKeys();
  const token = make({ aud: 'journal' });
  for (let times = 0; times < 2; times += 1) {
    assert.equal(await tokens.verify(token), undefined);
    assert.equal((await tokens.verify(token, 'any'))?.audience, 'journal');
    assert.equal(await tokens.verify(token, 'kedja'), undefined);
  }
  for (const aud of [['kedja'], ['kedja', 'journal'], [], 1, {}]) {
    assert.equal(await tokens.verify(make({ aud }), 'any'), undefined, JSON.stringify(aud));
  }
});

for (const [name, token] of Object.entries(forgeries())) {
  test(`refused: ${name}`, async () => {
    const { clock, tokens } = makeVerifier();
    await tokens.refreshKeys();
    assert.equal(await tokens.verify(token), undefined);
    // Nor after the keys have been fetched again.
    clock.time += 500;
    assert.equal(await tokens.verify(token), undefined);
  });
}

test('a token of a new key is looked up and counts; one of the old key counts for as long as it is published', async () => {
  const { clock, source, tokens } = makeVerifier();
  await tokens.refreshKeys();
  const old = make();
  assert.ok(await tokens.verify(old));
  source.published = [first, second];
  clock.time += 1_000;
  assert.ok(await tokens.verify(make({ jti: 'j2' }, { kid: 'k2' }, second)));
  assert.ok(await tokens.verify(old));
  source.published = [second];
  await tokens.refreshKeys();
  assert.equal(await tokens.verify(old), undefined, 'verified before, and still refused now');
});

test('however many tokens with invented key ids come, the keys are asked for once a second', async () => {
  const { clock, source, tokens } = makeVerifier();
  await tokens.refreshKeys();
  for (let tenth = 0; tenth < 30; tenth += 1) {
    clock.time += 100;
    assert.equal(await tokens.verify(make({}, { kid: `invented-${tenth}` }, second)), undefined);
  }
  assert.equal(source.loads, 1 + 3);
});

test('while identity is away an unknown key id is 503, asked for once a second, and known ones are verified', async () => {
  const { clock, source, tokens } = makeVerifier();
  await tokens.refreshKeys();
  source.isDown = true;
  clock.time += 1_000;
  const unknown = make({}, { kid: 'k2' }, second);
  for (let tries = 0; tries < 5; tries += 1) {
    await assert.rejects(tokens.verify(unknown), { code: 'upstream_unavailable' });
  }
  assert.equal(source.loads, 2);
  assert.ok(await tokens.verify(make()));
});

test('a key that is withdrawn during the check of a signature does not count', async () => {
  const { source, tokens } = makeVerifier();
  await tokens.refreshKeys();
  const verdict = tokens.verify(make());
  source.published = [second];
  await tokens.refreshKeys();
  await verdict;
  assert.equal(await tokens.verify(make()), undefined);
});

test('a token that has expired still proves who had it, if it is ours', async () => {
  const { clock, tokens } = makeVerifier();
  assert.equal(await tokens.verifyPast(make()), undefined, 'before the keys are known');
  await tokens.refreshKeys();
  clock.time += 30 * 86_400_000;
  assert.equal(await tokens.verify(make()), undefined);
  const past = await tokens.verifyPast(make());
  assert.deepEqual([past?.tokenId, past?.userGuid], ['j1', 'u1']);
  for (const [what, token] of [
    ['another key', make({}, {}, { ...second, kid: 'k1' })],
    ['an unknown key', make({}, { kid: 'k2' }, second)],
    ['another issuer', make({ iss: 'elsewhere' })],
    ['a secret instead of a key', hs256(first.spki)],
    ['without an id', without('jti')],
    ['no token', 'x'],
  ] as const)
    assert.equal(await tokens.verifyPast(token), undefined, what);
});

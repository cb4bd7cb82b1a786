// One request never holds up the others (decision G7 asks who may; this asks how much of the processor one may take at
// a time). Each attack of the tables is sent to the whole system in one process, at the service's own port and through
// the gateway. A probe asks on meanwhile.
//
// What is bounded is processor time of the main thread in one turn of its event loop
// (test/support/system/loop-meter.ts). It is the same on a busy machine, where wall time says nothing. The smallest of
// a few attempts counts, since a turn may also hold what came before. That is a collection of garbage, code that is
// compiled when it is first needed. An attack that freezes does so each time. Where memory is several times slower than
// usual, so is the bound: it is a multiple of what one copy of the largest body takes there (./bare-turn.ts).
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { createAccounts } from '#test/end-to-end/accounts.ts';
import type { Addresses, Library } from '#test/end-to-end/context.ts';
import { fillLibrary } from '#test/end-to-end/library.ts';
import { giveConsent, match, push, taskOf, writeRequest } from '#test/end-to-end/request.ts';
import { startSystem } from '#test/end-to-end/system.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { call } from '#test/support/http.ts';
import { METER_VARIABLE } from '#test/support/system/loop-meter.ts';
import { startProbe } from '#test/support/system/probe.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';
import { type Attack, type AttackRequest, json, type Target } from './attack.ts';
import { allowedTurnMs } from './bare-turn.ts';
import { FHIR_ATTACKS } from './fhir-attacks.ts';
import { HTTP_ATTACKS } from './http-attacks.ts';
import { JOB_ATTACKS } from './job-attacks.ts';
import { hostileBodies, jsonAddressesOf, unboundedPlaces } from './json-addresses.ts';
import { STORE_ATTACKS } from './store-attacks.ts';
import { playWorkflow } from './workflow.ts';

/** Of bodies and answers: through the gateway too. */
const ATTACKS: readonly Attack[] = [...HTTP_ATTACKS, ...FHIR_ATTACKS];

/** Processor time that nobody's request may take in one turn: what is promised. */
const LONGEST_TURN_MS = 100;
/**
 * What every turn keeps on a machine of its own; an attempt that takes more is repeated, as the machine may be slower.
 */
const USUAL_TURN_MS = 50;
const ATTEMPTS = 3;
/** While a turn takes longer than is promised: on a shared machine what others take may be counted, too. */
const MOST_ATTEMPTS = 10;
/** Of a request that is answered 503 with Retry-After, which is no failure before this. */
const MOST_TRIES = 10;
/** Of the fuzzer: the same bodies in each run. */
const SEED = 18;

const hooks = lastFirst({ after });
const folder = await mkdtemp(path.join(tmpdir(), 'kedja-meter-'));
hooks.after(() => rm(folder, { recursive: true, force: true }));
const socketPath = path.join(folder, 'meter');
const { url: databaseUrl } = await createSystemDatabase(hooks);
const meter = path.join(import.meta.dirname, '..', 'support', 'system', 'loop-meter.ts');
const { addresses } = await startSystem(hooks, {
  databaseUrl,
  isApart: false,
  environment: {
    NODE_OPTIONS: `--import=${meter}`,
    [METER_VARIABLE]: socketPath,
    // An overbooked machine takes longer than a minute for the largest bodies, after which they are answered 503.
    KEDJA_REQUEST_SECONDS: '30',
    KEDJA_RATE_LIMIT_REGISTER: '10000',
    KEDJA_RATE_LIMIT_ACCESS_REQUEST: '10000',
  },
});
const { target, library } = await prepare(addresses);
const tokens = { ...target.accounts, nobody: undefined, holder: undefined };
const probe = startProbe([
  { url: `${addresses.gateway}/livez` },
  { url: `${addresses.identity}/api/auth/me`, token: target.accounts.planner },
  { url: `${addresses.gateway}/engine/api/v1/Patient?_count=1`, token: target.accounts.planner },
  { url: `${addresses.dispatch}/ServiceRequest?_count=1`, token: target.accounts.planner },
]);
hooks.after(() => probe.stop());

/** A patient with the record that staff made, a planner, and a task that a provider has accepted. */
async function prepare(scenario: Addresses): Promise<{ readonly target: Target; readonly library: Library }> {
  const accounts = await createAccounts(scenario);
  const library = await fillLibrary(scenario, accounts);
  await giveConsent(scenario, accounts);
  const { id } = await writeRequest(scenario, accounts, library);
  const matches = await match(scenario, accounts, id);
  const { pushed } = await push(scenario, accounts, id, 202);
  const wanted = pushed.find((each: { match_guid: string }) => each.match_guid === matches.get(library.hosted));
  const { receipt_token: receiptToken } = await taskOf(scenario, accounts, wanted.request_guid, 'received');
  await call(`${scenario.engine}/provider-tasks/${receiptToken}/accept`, { method: 'POST' });
  return { target: { accounts, receiptToken, hosted: library.hosted }, library };
}

/** The longest turn since this was last asked, in ms of processor time. */
function longestTurn(): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    connect(socketPath)
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('error', reject)
      .on('end', () => resolve(Number(text)));
  });
}

/** Of a path behind the gateway. */
function directly(pathname: string): string {
  const [, service = '', rest = ''] = /^\/(identity|engine|dispatch)(\/.*)$/.exec(pathname) ?? [];
  const origin =
    { identity: addresses.identity, engine: addresses.engine, dispatch: addresses.dispatch }[service] ?? '';
  return new URL(origin).origin + rest;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** As a client sends it: a busy machine may answer 503, and says when to send it again. */
async function send(url: string, request: AttackRequest, token: string | undefined): Promise<Answer> {
  let answer = await sendOnce(url, request, token);
  for (let tries = 1; tries < MOST_TRIES && isTurnedAway(answer); tries += 1) {
    await delay(Number(answer.headers.get('retry-after')) * 1000);
    answer = await sendOnce(url, request, token);
  }
  return answer;
}

async function sendOnce(
  url: string,
  { method, headers, body }: AttackRequest,
  token: string | undefined,
): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...authorization },
    ...(body === undefined ? {} : { body: body as string }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function isTurnedAway({ status, headers }: Answer): boolean {
  return status === 503 && headers.has('retry-after');
}

/** The longest turn while the attack is played, which has to be answered as it says. */
async function turnOf(attack: Attack, url: string): Promise<number> {
  const request = attack.request(target);
  await longestTurn();
  const token = tokens[attack.who];
  const sent = Array.from({ length: attack.times ?? 1 }, () => send(url, request, token));
  const ask = (asked: AttackRequest) => send(directly(asked.path), asked, token);
  for (const { status, headers, text } of await Promise.all(sent)) {
    const isExpected = attack.answers?.includes(status) ?? status < 500;
    assert.ok(isExpected, `${attack.name}: it was answered ${status}: ${text.slice(0, 400)}`);
    await attack.settle?.({ headers, ask });
  }
  return longestTurn();
}

/**
 * 0 while the probe has been answered. Infinite when it was turned away by 503, which a busy machine does to any
 * client, and an attack must not: the attempt is repeated.
 */
async function probeTurn(): Promise<number> {
  const { failures } = await probe.report();
  const turnedAway = failures.filter((failure) => failure.endsWith(': 503'));
  assert.equal(failures.length, turnedAway.length, `the probe was not answered: ${failures.join('; ')}`);
  return failures.length === 0 ? 0 : Number.POSITIVE_INFINITY;
}

async function play(attack: Attack, url: string): Promise<number> {
  const turn = await turnOf(attack, url);
  return Math.max(turn, await longestTurn(), await probeTurn());
}

/** Whether there is another attempt after so many, of which the shortest turn was this. */
function isRepeated(count: number, shortest: number): boolean {
  return (count < ATTEMPTS && shortest > USUAL_TURN_MS) || (count < MOST_ATTEMPTS && shortest > LONGEST_TURN_MS);
}

/** Of a few attempts, if the first is not short enough. */
async function shortestOf(attempt: () => Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let count = 0; isRepeated(count, shortest); count += 1) shortest = Math.min(shortest, await attempt());
  return shortest;
}

function assertShort(turn: number, message: string): void {
  if (turn <= LONGEST_TURN_MS) return;
  const allowed = allowedTurnMs(LONGEST_TURN_MS);
  assert.ok(turn <= allowed, `${message}, and ${allowed.toFixed(0)} ms are allowed on this machine`);
}

function plays(attack: Attack, way: string, origin: (pathname: string) => string): void {
  test(`${attack.who}, ${way}: ${attack.name}`, async (t) => {
    const { path: pathname } = attack.request(target);
    const shortest = await shortestOf(() => play(attack, origin(pathname)));
    t.diagnostic(`longest turn ${shortest.toFixed(0)} ms`);
    assertShort(shortest, `the others waited ${shortest.toFixed(0)} ms of processor time`);
  });
}

for (const attack of ATTACKS) {
  plays(attack, 'directly', directly);
  if (attack.isOfService !== true) plays(attack, 'through the gateway', (pathname) => addresses.gateway + pathname);
}
for (const attack of JOB_ATTACKS) plays(attack, 'directly', directly);

test('dispatch’s workflow with bodies of megabytes', async (t) => {
  const shortest = new Map<string, number>();
  const longest = () => Math.max(...shortest.values());
  for (let count = 0; count === 0 || isRepeated(count, longest()); count += 1) {
    await playWorkflow({ addresses, accounts: target.accounts, library }, async (name, work) => {
      await longestTurn();
      const result = await work();
      shortest.set(name, Math.min(await longestTurn(), shortest.get(name) ?? Number.POSITIVE_INFINITY));
      return result;
    });
    const before = shortest.get('probe') ?? Number.POSITIVE_INFINITY;
    shortest.set('probe', Math.min(before, await probeTurn()));
  }
  const slowest = [...shortest].map(([name, turn]) => `${name}: ${turn.toFixed(0)} ms`);
  t.diagnostic(`longest turns: ${slowest.join('; ')}`);
  assertShort(longest(), `the others waited: ${slowest.join('; ')}`);
});

/** By their paths behind the gateway. */
const jsonAddresses = (
  await Promise.all(
    ['identity', 'engine', 'dispatch'].map(async (service) => {
      const document = await call(directly(`/${service}/openapi.json`));
      return jsonAddressesOf(document.body).map((jsonAddress) => ({
        ...jsonAddress,
        path: `/${service}${jsonAddress.path}`,
      }));
    }),
  )
).flat();

test('every list and text of a JSON body is bounded', () => {
  assert.ok(jsonAddresses.length > 50, `there are ${jsonAddresses.length} addresses`);
  const unbounded = jsonAddresses.flatMap(({ method, path: at, schema }) =>
    unboundedPlaces(schema).map((place) => `${method} ${at} ${place}`),
  );
  assert.deepEqual(unbounded, []);
});

test('bodies of a fuzzer’s own at every JSON address', async (t) => {
  const bodies = fc.sample(hostileBodies(), { seed: SEED, numRuns: jsonAddresses.length });
  let longest = 0;
  for (const [index, { method, path: at, isPublic, schema }] of jsonAddresses.entries()) {
    const attack: Attack = {
      name: `${method} ${at}`,
      who: isPublic ? 'nobody' : 'admin',
      // No server of the demo has these names.
      answers: [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 428, 429],
      request: () => json(at, bodies[index]?.(schema) ?? '', method),
    };
    const turn = await shortestOf(() => turnOf(attack, directly(at)));
    longest = Math.max(longest, turn);
    assertShort(turn, `${attack.name}: the others waited ${turn.toFixed(0)} ms of processor time`);
  }
  // One body is sent once, so a machine that turned the probe away is no failure here.
  await probeTurn();
  t.diagnostic(`${jsonAddresses.length} addresses, longest turn ${longest.toFixed(0)} ms`);
});

// Last, as what they store takes memory, whose collection counts in the turns of others. What the gateway does with an
// answer of many megabytes does not depend on what is in it.
for (const attack of STORE_ATTACKS) plays(attack, 'directly', directly);

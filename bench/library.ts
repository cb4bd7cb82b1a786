// `npm run bench library [-- --quick] [--size 100000]`: the list of concepts by each filter, over HTTP with
// authentication, and what an API key adds to a read.

import { setTimeout as delay } from 'node:timers/promises';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createKeyUsage } from '#lib/auth/key-usage.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createLogger } from '#lib/log/logger.ts';
import type { Case, LatencyCase } from './engine/cases/case.ts';
import { readCases } from './engine/cases/reads.ts';
import { FEW_CONNECTIONS, measure, roundsOf } from './engine/measure.ts';
import { type EngineSite, startEngineSite } from './engine/site.ts';
import type { BenchmarkOptions } from './options.ts';
import { type Figure, printTable, progress } from './report.ts';

const CONCEPTS = 100_000;
const LIBRARIES = 20;
const PATIENTS = 100;
const MUST_MEDIAN_MS = 5;
const MUST_P99_MS = 60;
const MUST_KEY_SHARE = 0.05;

/** Prints the table; whether every must is met. */
export async function benchLibrary({ isQuick, only, sizes = [CONCEPTS] }: BenchmarkOptions): Promise<boolean> {
  const rounds = roundsOf(isQuick);
  const startedAt = performance.now();
  const site = await startEngineSite(PATIENTS);
  try {
    const [size = CONCEPTS] = sizes;
    await fillLibrary(site.database, size);
    await untilTakenUp(site);
    const filledAt = performance.now();
    const words = only.split(',');
    const figures: Figure[] = [];
    // Lists are compared with nothing: half as many rounds say as much of them.
    const ofLists = { ...rounds, count: rounds.count / 2 };
    for (const each of [...(await listCases(site)), ...keyCases(site)]) {
      if (!words.some((word) => each.name.includes(word))) continue;
      progress(each.name);
      const measured = await measure(site, each, each.kind === 'latency' ? ofLists : rounds);
      figures.push(...measured.figures);
      // With an API key.
      if (each.kind === 'rate') figures.push(await keyFigure(measured.rate));
    }
    progress('');
    const seconds = (from: number, to: number) => `${Math.round((to - from) / 1000)} s`;
    console.log(`\nfilled after ${seconds(startedAt, filledAt)}, measured in ${seconds(filledAt, performance.now())}`);
    console.log(`library, ${size} concepts, ${FEW_CONNECTIONS} connections`);
    return printTable(figures);
  } finally {
    await site.stop();
  }
}

/** Half of the concepts are in one library, a tenth have values, one in a thousand is named by a rare word. */
async function fillLibrary(database: Database, size: number): Promise<void> {
  progress(`${size} concepts`);
  await database.query(
    `INSERT INTO canonical_lib (canonical_lib_guid, name, url, created_at, updated_at)
     SELECT gen_random_uuid(), 'Library ' || n, 'urn:bench:' || n, now(), now() FROM generate_series(1, $1) n`,
    [LIBRARIES],
  );
  await database.query(
    `INSERT INTO concept_type (concept_type_guid, name, created_at, updated_at)
     SELECT gen_random_uuid(), 'Type ' || n, now(), now() FROM generate_series(1, 10) n`,
  );
  await database.query(
    `INSERT INTO response_type (response_type_guid, name, fhir_type, created_at, updated_at)
     SELECT gen_random_uuid(), 'Response ' || n, 'Quantity', now(), now() FROM generate_series(1, 5) n`,
  );
  await database.query(
    `WITH libs AS (SELECT array_agg(canonical_lib_guid ORDER BY url) AS guids FROM canonical_lib),
       types AS (SELECT array_agg(concept_type_guid) AS guids FROM concept_type),
       responses AS (SELECT array_agg(response_type_guid) AS guids FROM response_type)
     INSERT INTO concept (concept_guid, canonical_lib, concept_code, concept_name, concept_display_text, concept_explain,
       concept_type, response_type, permitted_values, created_at, updated_at)
     SELECT gen_random_uuid(), libs.guids[CASE WHEN n % 2 = 0 THEN 1 ELSE 2 + n % ($1 - 1) END], 'code-' || n,
       (ARRAY['Pulse', 'Weight', 'Pain', 'Mood', 'Sleep', 'Wound', 'Blood pressure', 'Appetite'])[1 + n % 8] || ' ' || md5(n::text),
       CASE WHEN n % 1000 = 0 THEN 'Spirometry' ELSE 'Measured in the morning' END, 'As told by the patient, day ' || n % 365,
       types.guids[1 + n % 10], responses.guids[1 + n % 5],
       CASE WHEN n % 10 = 0 THEN '[{"code": "a", "display": "A"}]'::jsonb ELSE '[]' END, now(), now()
     FROM generate_series(1, $2) n, libs, types, responses`,
    [LIBRARIES, size],
  );
  await database.query('VACUUM (ANALYZE) concept');
}

/** Until the service has made columns of what was filled in: it does so beside, and no longer while it is measured. */
async function untilTakenUp({ port, headers }: EngineSite): Promise<void> {
  const address = `http://127.0.0.1:${port}/api/v1/CodeSystem/$lookup?system=urn:bench:1&code=code-2`;
  const signal = AbortSignal.timeout(60_000);
  while ((await fetch(address, { headers, signal })).status !== 200) await delay(100);
}

async function listCases({ database, tokenHeaders }: EngineSite): Promise<Case[]> {
  const guids = async (table: string, column: string) =>
    (await database.query<{ guid: string }>(`SELECT ${column} AS guid FROM ${table} ORDER BY created_at, ${column}`))
      .rows;
  const libs = await database.query<{ guid: string }>(
    'SELECT canonical_lib_guid AS guid FROM canonical_lib ORDER BY url',
  );
  const [large = { guid: '' }, ...others] = libs.rows;
  const types = await guids('concept_type', 'concept_type_guid');
  const responses = await guids('response_type', 'response_type_guid');
  const pairs = types.flatMap((type) =>
    responses.map((response) => `concept_type=${type.guid}&response_type=${response.guid}`),
  );
  const lists = (name: string, queries: readonly string[]): LatencyCase => ({
    kind: 'latency',
    name,
    mustMedian: MUST_MEDIAN_MS,
    mustP99: MUST_P99_MS,
    ours: () => queries.map((query) => ({ target: `/api/v1/concepts?${query}`, headers: tokenHeaders })),
  });
  return [
    lists(
      'concepts of a library',
      others.map(({ guid }) => `canonical_lib=${guid}`),
    ),
    lists('concepts of the library that holds half', [`canonical_lib=${large.guid}`]),
    lists(
      'concepts of a type',
      types.map(({ guid }) => `concept_type=${guid}`),
    ),
    lists('concepts of a type and a response type', pairs),
    lists('concepts with values', ['has_values=true', 'has_values=false']),
    lists('concepts by a rare word', ['search=spirometry', 'search=Spirometri']),
    lists('concepts by the beginning of a code', ['search=code-1234', 'search=code-4321', 'search=code-777']),
    lists(
      'concepts by words within a library',
      others.map(({ guid }) => `canonical_lib=${guid}&search=spirometry`),
    ),
    lists('concepts, page 10', ['page=10']),
    // Every eighth is found, and all are counted once.
    lists('concepts by a common word', ['search=appetite', 'search=wound', 'search=pain', 'search=mood']),
    // All rows are read, because no index finds a page so far on: for information.
    { ...lists('concepts by two letters', ['search=bl']), isGrowing: true },
    { ...lists('concepts, page 1000', ['page=1000']), isGrowing: true },
  ];
}

/** The same reads with a key and with a token of identity, in turn: what a key costs more, all in all. */
function keyCases({ headers, tokenHeaders }: EngineSite): Case[] {
  const reads = (sent: Readonly<Record<string, string>>) =>
    readCases({ patients: PATIENTS, headers: sent })
      .filter(({ name }) => name === 'read')
      .flatMap(({ ours }) => [...ours(0)]);
  const withKey = reads(headers);
  const name = 'read with an API key, beside a token';
  const must = 1 - MUST_KEY_SHARE;
  return [{ name, kind: 'rate', must, beside: 'service', ours: () => withKey, bare: reads(tokenHeaders) }];
}

/**
 * The time of recognising a key and counting its use, as a share of the time that one read takes. The time of a read
 * follows from how many the service answers in a second.
 */
async function keyFigure(rate: number): Promise<Figure> {
  const nanoseconds = await keyNanoseconds();
  const share = (nanoseconds * rate) / 1e9;
  const value = `${(share * 100).toFixed(2)} %`;
  return { name: 'an API key, of a read', value, must: `< ${MUST_KEY_SHARE * 100} %`, isMet: share < MUST_KEY_SHARE };
}

const CALLS = 1_000_000;

async function keyNanoseconds(): Promise<number> {
  const key = `kedja_${'k'.repeat(43)}`;
  const principal = principalOfKey({ keyGuid: '01900000-0000-7000-8000-000000000001', scopes: ['system/*.cruds'] });
  const unused = () => {
    throw new Error('This bench asks for keys alone');
  };
  const authenticator = createAuthenticator({
    tokens: { refreshKeys: unused, verify: unused, verifyPast: unused, onKeyRemoved: () => undefined },
    revocations: {
      refresh: unused,
      isRevoked: unused,
      isFresh: unused,
      sequence: unused,
      onUserChanged: () => undefined,
      onKeysChanged: unused,
    },
    blobs: { read: unused },
    serviceClients: [],
    clock: systemClock,
    apiKeys: { read: async () => principal },
  });
  const headers = { 'x-api-key': key };
  await authenticator.authenticate(headers);
  let count: (principal: Principal | undefined) => void = unused;
  const app = { onResponseSent: (listener: typeof count) => (count = listener) };
  const log = createLogger({ level: 'silent', format: 'json' });
  createKeyUsage({ clock: systemClock, log, sink: async () => undefined }).register(app as unknown as HttpApp);
  const started = process.hrtime.bigint();
  for (let call = 0; call < CALLS; call += 1) {
    const found = authenticator.findCached(headers) ?? (await authenticator.authenticate(headers));
    count(found);
  }
  return Number(process.hrtime.bigint() - started) / CALLS;
}

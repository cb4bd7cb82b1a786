// Where dispatch is struck: the real processes on a durable database, with lines that break between dispatch and the
// database, and between its worker and the receivers; patients who permit, and such as do not; and requests that are
// ready to be pushed.
import assert from 'node:assert/strict';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { newGuid } from '#lib/guid.ts';
import { type DurableDatabase, startDurableDatabase } from '#test/support/database/durable-database.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { type Answer, type CallOptions, call, eventually } from '#test/support/http.ts';
import { makeProvider } from '../story/library.ts';
import { admitPatient, giveConsent } from '../story/request.ts';
import { type StorySystem, startStorySystem } from '../story/stages.ts';
import { type Stage, setTheStage } from '../story/story.ts';
import { type Ledger, startLedger } from './ledger.ts';
import { type Line, startLine } from './line.ts';

const PROVIDERS = 12;
/** KEDJA_WEBHOOK_TIMEOUT_SECONDS; a lease is four of them. */
const TIMEOUT_SECONDS = 1;
export const LEASE_MS = TIMEOUT_SECONDS * 4000;

export interface Arena extends Stage {
  readonly theatre: StorySystem;
  /** By a line that is whole. */
  readonly databaseUrl: string;
  /** Dispatch's schema, by that line. */
  readonly database: Database;
  readonly databaseLine: Line;
  readonly receiverLine: Line;
  readonly ledger: Ledger;
  /** Their endpoints are behind `receiverLine`. */
  readonly providers: readonly string[];
  /** Immediate shutdown of PostgreSQL; resolves when it has been started again. */
  strikeDatabase(): Promise<void>;
  /** Sends a provider's webhooks through another line. */
  moveEndpoint(providerGuid: string, line: Line): Promise<void>;
  /** Ends dispatch with SIGKILL, lets go what the lines hold, and starts it again. */
  killDispatch(): Promise<void>;
  /**
   * Asks as the planner until dispatch answers something else than that it is away; fails on a status that is not
   * expected.
   */
  insist(method: 'GET' | 'POST' | 'PUT', address: string, expect: readonly number[], json?: unknown): Promise<Answer>;
}

export async function openArena(hooks: Hooks): Promise<Arena> {
  const postgres = await startDurableDatabase(hooks);
  const { hostname: host, port } = new URL(postgres.url);
  const databaseLine = await startLine(hooks, { host, port: Number(port) });
  const ledger = await startLedger(hooks);
  const theatre = await startStorySystem(hooks, {
    databaseUrl: postgres.url,
    isApart: true,
    dispatch: {
      KEDJA_DATABASE_URL: through(postgres.url, databaseLine),
      KEDJA_WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
      KEDJA_WEBHOOK_RETRY_SECONDS: Array.from({ length: 200 }, () => 1).join(','),
    },
  });
  // At the one address that is open to webhooks.
  const receiverHost = theatre.world.receiver.address;
  const receiverLine = await startLine(hooks, { host: '127.0.0.1', port: ledger.port }, receiverHost);
  const stage = await setTheStage(theatre.world);
  await giveConsent(stage.world, stage.cast);
  const providers: string[] = [];
  for (let n = 0; n < PROVIDERS; n += 1) {
    providers.push(await makeProvider(stage.world, stage.cast, { name: `Provider ${n}`, code: stage.library.concept }));
  }
  const database = createDatabase({ url: postgres.url, schema: 'dispatch' });
  hooks.after(() => database.close());
  const moveEndpoint = makeMover(stage, ledger);
  for (const provider of providers) await moveEndpoint(provider, receiverLine);
  return {
    ...stage,
    theatre,
    databaseUrl: postgres.url,
    database,
    databaseLine,
    receiverLine,
    ledger,
    providers,
    strikeDatabase: () => strikeDown(postgres),
    moveEndpoint,
    async killDispatch() {
      await theatre.processOf('dispatch').end('SIGKILL');
      for (const line of [databaseLine, receiverLine]) {
        line.cut();
        line.release();
      }
      await theatre.restart('dispatch');
    },
    insist: (method, address, expect, json) =>
      insist({ method, token: stage.cast.planner, json }, stage.world.dispatch + address, expect),
  };
}

/** Strikes the database down, if it runs, and waits until it was started again. */
async function strikeDown({ url, pid, strike }: DurableDatabase): Promise<void> {
  const struck = await strike();
  if (struck === undefined) return;
  await eventually('the database was started again', async () => {
    const now = await pid();
    return now !== undefined && now !== struck && (await answers(url)) ? true : undefined;
  });
}

async function answers(url: string): Promise<boolean> {
  const client = createDatabase({ url, schema: 'public' });
  const found = await client.query('SELECT 1').catch(() => undefined);
  await client.close();
  return found !== undefined;
}

function through(address: string, line: Line): string {
  const url = new URL(address);
  url.hostname = line.host;
  url.port = String(line.port);
  return url.href;
}

function makeMover({ world, cast }: Stage, ledger: Ledger): Arena['moveEndpoint'] {
  return async (provider, { host, port }) => {
    const json = { url: `http://${host}:${port}/${provider}`, enabled: true };
    const url = `${world.dispatch}/providers/${provider}/endpoint`;
    const { body } = await call(url, { method: 'PUT', token: cast.admin, json });
    if (body.secret !== undefined) ledger.secrets.set(provider, body.secret);
  };
}

/** As a client does that is told 503 or loses its connection. */
function insist(options: CallOptions, url: string, expect: readonly number[]): Promise<Answer> {
  const { method = 'GET', token, json = {} } = options;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = method === 'GET' ? {} : { body: JSON.stringify(json) };
  return eventually(
    `${method} ${url} got through`,
    async () => {
      const response = await fetch(url, { method, headers, ...body }).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      if (response === undefined || text === undefined || response.status === 503) return undefined;
      assert.ok(expect.includes(response.status), `${method} ${url} answered ${response.status}: ${text}`);
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    },
    60_000,
  );
}

/** A patient of the planner's organisation; one who permits unless told otherwise. Answers the guid. */
export async function makePatient({ world, cast }: Stage, consent: 'permit' | 'none' = 'permit') {
  const patient = { ...cast, patientGuid: newGuid() };
  await admitPatient(world, patient);
  const consentId = consent === 'permit' ? await giveConsent(world, patient) : '';
  return { patientGuid: patient.patientGuid, consentId };
}

/** A draft with one form; answers its id. */
export async function makeDraft({ world, cast, library }: Stage, patientGuid: string): Promise<string> {
  const asPlanner = { token: cast.planner, expect: 201 };
  const carePlan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${patientGuid}` },
    instantiatesCanonical: [`${library.planUrl}|${library.planVersion}`],
  };
  const { id: careplanGuid } = (await call(`${world.dispatch}/CarePlan`, { ...asPlanner, json: carePlan })).body;
  const url = `${world.dispatch}/ServiceRequest`;
  const { id } = (await call(url, { ...asPlanner, json: { careplan_guid: careplanGuid } })).body;
  await call(`${url}/${id}/forms`, { ...asPlanner, json: { form_guid: library.formGuid } });
  return id;
}

/** An active request with its matches by provider, all pending. */
export interface Ready {
  readonly id: string;
  readonly patientGuid: string;
  readonly matches: ReadonlyMap<string, string>;
}

export async function makeReady(stage: Stage, patientGuid: string): Promise<Ready> {
  const { world, cast } = stage;
  const id = await makeDraft(stage, patientGuid);
  const url = `${world.dispatch}/ServiceRequest/${id}`;
  await call(`${url}/finalize`, { method: 'POST', token: cast.planner });
  const { body } = await call(`${url}/match`, { method: 'POST', token: cast.planner });
  const found = body.matches as { provider_guid: string; match_guid: string }[];
  return { id, patientGuid, matches: new Map(found.map((match) => [match.provider_guid, match.match_guid])) };
}

/** Pushes to one provider until it is done: by this call, or by one whose answer was lost. */
export async function pushOne({ insist: ask }: Arena, { id, matches }: Ready, provider: string): Promise<void> {
  await ask('POST', `/ServiceRequest/${id}/push/${matches.get(provider)}`, [202, 409]);
}

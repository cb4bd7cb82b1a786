// The delivery side of dispatch on its own database, for tests, with an injected clock, random source and consents.
import { randomBytes } from 'node:crypto';
import { Agent } from 'undici';
import { createCalendar } from '#fhir/primitives/calendar.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { createAudit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { newWebhookSecret } from '#lib/webhook/signature.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import type { Consent, Recipient } from '../consent/consent.ts';
import { type ConsentGate, type ConsentSource, createConsentGate } from '../consent/service.ts';
import { createAttemptMetrics } from '../deliveries/metrics.ts';
import { createOutbox, type Outbox } from '../deliveries/outbox-service.ts';
import { createSender, type Sender } from '../deliveries/sender.ts';
import { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from '../deliveries/worker.ts';
import { migrations } from '../migrations.ts';
import { createNotifier } from '../notifications/notify-service.ts';
import { createKeyRing, type KeyRing } from '../shared/key-ring.ts';

export const PATIENT = '01900000-0000-7000-8000-00000000000a';
const SCHEDULE = [5, 60, 300];

export interface DeliveryBench {
  readonly db: Database;
  readonly clock: { time: number; now(): number };
  readonly keys: KeyRing;
  readonly outbox: Outbox;
  readonly gate: ConsentGate;
  readonly logLines: string[];
  /** Consents by patient; none at first, with the policy `implied`. */
  readonly consents: Map<string, Consent[]>;
  /** A worker; several simulate several nodes. */
  worker(changes?: Partial<DeliveryWorkerOptions>): DeliveryWorker;
  readonly send: Sender;
  /** Creates an endpoint; returns its secret. */
  endpoint(providerGuid: string, url: string, enabled?: boolean): Promise<string>;
  /** Dispatches a request to each provider, all in one transaction; returns the request guids. */
  dispatch(...providerGuids: string[]): Promise<string[]>;
  /** The deliveries with their attempts, oldest first. */
  deliveries(): Promise<DeliveryRow[]>;
}

export interface DeliveryRow {
  delivery_guid: string;
  provider_guid: string;
  request_guid: string | null;
  type: string;
  status: string;
  attempt: number;
  failures: number;
  next_at: Date;
  cancelled_reason: string | null;
  outcomes: (string | null)[];
  answers: (string | null)[];
}

const SCHEMAS = [{ schema: 'dispatch', migrations }];

export async function createDeliveryBench(hooks: Hooks): Promise<DeliveryBench> {
  const db = (await createTestDatabase(hooks, { schemas: SCHEMAS })).database('dispatch');
  const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
  const keys = createKeyRing(fixedKeys(randomBytes(32)));
  const logLines: string[] = [];
  const log = makeTestLogger(logLines);
  const consents = new Map<string, Consent[]>();
  const audit = createAudit({ database: db, clock, service: 'dispatch' });
  const gate = createConsentGate({
    database: db,
    source: sourceOf(consents),
    policy: 'implied',
    audit,
    accessLog: createAccessLog({ database: db, clock }),
    clock,
    calendar: createCalendar('Europe/Stockholm'),
  });
  const dispatcher = new Agent();
  hooks.after(() => dispatcher.destroy());
  const send = createSender({ dispatcher, timeoutMs: 2000 });
  const outbox = createOutbox({ clock, keys, baseUrl: 'https://dispatch.example.org/api/v1' });
  const defaults: DeliveryWorkerOptions = {
    database: db,
    clock,
    log,
    gate,
    keys,
    send,
    notifier: createNotifier({ database: db, clock, log }),
    backoff: { scheduleSeconds: SCHEDULE, random: () => 0.5 },
    limits: { total: 32, perProvider: 4 },
    ...createAttemptMetrics(createMetrics('dispatch')),
    leaseMs: 60_000,
    startWithinMs: 15_000,
  };

  async function endpoint(providerGuid: string, url: string, enabled = true): Promise<string> {
    const secret = newWebhookSecret();
    await db.query(
      `INSERT INTO provider_endpoint (provider_guid, url, enabled, disabled_reason, secret, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $6)`,
      [
        providerGuid,
        url,
        enabled,
        enabled ? null : 'administrator',
        keys.seal(secret, providerGuid),
        new Date(clock.time),
      ],
    );
    return secret;
  }

  async function dispatch(...providerGuids: string[]): Promise<string[]> {
    const recipients = providerGuids.map((providerGuid) => ({
      requestGuid: newGuid(),
      providerGuid,
      organisationGuid: providerGuid,
    }));
    const bundle = '{"resourceType":"Bundle","type":"collection","note":"ÅÄÖ \\u0001 1.0"}';
    const wanted = { serviceRequestId: newGuid(), patientGuid: PATIENT, bundle, recipients };
    await db.transaction((transaction) => outbox.dispatch(transaction, wanted));
    return recipients.map(({ requestGuid }) => requestGuid);
  }

  async function deliveries(): Promise<DeliveryRow[]> {
    const { rows } = await db.query<DeliveryRow>(
      `SELECT d.*, array(SELECT outcome FROM every_attempt a WHERE a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL ORDER BY a.attempt) AS outcomes,
         array(SELECT answer FROM every_attempt a WHERE a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL ORDER BY a.attempt) AS answers
       FROM delivery d ORDER BY created_at, delivery_guid`,
    );
    return rows;
  }

  return {
    db,
    clock,
    keys,
    outbox,
    gate,
    logLines,
    consents,
    send,
    endpoint,
    dispatch,
    deliveries,
    worker: (changes = {}) => createDeliveryWorker({ ...defaults, ...changes }),
  };
}

function sourceOf(consents: ReadonlyMap<string, Consent[]>): ConsentSource {
  return {
    read: async (_db, { patients, organisations }) => ({
      files: new Map(
        patients.map((guid) => [guid, { consents: consents.get(guid) ?? [], objections: [], isComplete: true }]),
      ),
      lineages: new Map(
        organisations.map((guid): [string, Recipient] => [guid, { guids: new Set([guid]), isComplete: true }]),
      ),
    }),
  };
}

// The background work of a test's site. Its delivery worker stores every message instead of sending it, and uses the
// response that the test sets. Deadlines are checked when the test calls for it.

import { createCalendar } from '#fhir/primitives/calendar.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { createConsentGate } from '../consent/service.ts';
import { createConsentSource } from '../consent/source.ts';
import { createAttemptMetrics } from '../deliveries/metrics.ts';
import { createOutbox } from '../deliveries/outbox-service.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../deliveries/worker.ts';
import { createNotifier } from '../notifications/notify-service.ts';
import { createDeadlineStep } from '../requests/deadline-job.ts';
import { createSettlement } from '../requests/settlement.ts';
import { createCompletion } from '../service-requests/completion-service.ts';
import { createKeyRing } from '../shared/key-ring.ts';
import { createRecords } from '../shared/records.ts';
import { createTextWork } from '../shared/text-tasks.ts';
import { BASE, MASTER_KEYS, type Site } from './site.ts';

/** What one attempt would have sent. */
export interface Sent {
  readonly delivery: string;
  readonly body: string;
}

export interface SiteWorker {
  readonly worker: DeliveryWorker;
  readonly sent: Sent[];
  /** Records the expiry of pushes past their deadline. */
  expireOverdue(): Promise<boolean>;
}

/** `answer` returns the status with which receivers respond. */
export function makeSiteWorker(site: Site, answer: () => number): SiteWorker {
  const { database, clock } = site;
  const sent: Sent[] = [];
  const store = createFhirStore({ parameters: loadSearchParameters(BASE), clock, validate: validateResource });
  const audit = createAudit({ database, clock, service: 'dispatch' });
  const keys = createKeyRing(MASTER_KEYS);
  const notifier = createNotifier({ database, clock, log: makeTestLogger() });
  const worker = createDeliveryWorker({
    database,
    clock,
    log: makeTestLogger(),
    gate: createConsentGate({
      database,
      source: createConsentSource(store),
      policy: 'required',
      audit,
      accessLog: createAccessLog({ database, clock }),
      clock,
      calendar: createCalendar('Europe/Stockholm'),
    }),
    keys,
    notifier,
    send: async ({ headers, body }) => {
      sent.push({ delivery: String(headers['webhook-id']), body: Buffer.concat(body.pieces).toString('utf8') });
      return { kind: 'answered', status: answer(), retryAfter: undefined, answer: '' };
    },
    backoff: { scheduleSeconds: [5, 5, 5, 5], random: () => 0.5 },
    limits: { total: 16, perProvider: 4 },
    ...createAttemptMetrics(createMetrics('dispatch')),
    leaseMs: 60_000,
    startWithinMs: 15_000,
  });
  const settlement = createSettlement({ clock, outbox: createOutbox({ clock, keys, baseUrl: BASE }), notifier });
  const texts = createTextWork();
  const applyProgress = createCompletion({ records: createRecords(store, texts), texts, audit, clock });
  return {
    worker,
    sent,
    expireOverdue: createDeadlineStep({ database, clock, audit, settlement, applyProgress, notifier }),
  };
}

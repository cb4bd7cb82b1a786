// Creates the delivery side of dispatch: consent gate, outbox, delivery worker, endpoints, push, and what providers
// read and report (decisions D5–D11). plugin.ts creates, starts and stops it, and hands its `withdrawMatches` to the
// requester's side.

import type { ResultClient } from '#clients/result-client.ts';
import { createCalendar } from '#fhir/primitives/calendar.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { createAudit } from '#lib/audit/audit.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { stopInTurn, stopTogether } from '#lib/jobs/stop.ts';
import { createPeriodicLoop, createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { createAddressGuard, type Resolver } from '#lib/net/address-guard.ts';
import { createGuardedAgent } from '#lib/net/guarded-agent.ts';
import { createRateLimiter, sweepRateLimits } from '#lib/rate-limit/rate-limiter.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { Tracer } from '#lib/traces/tracer.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import type { ConsentPolicy } from './consent/consent.ts';
import { createConsentGate, type PreviewGate } from './consent/service.ts';
import { createConsentSource } from './consent/source.ts';
import { RETRY_SCHEDULE_SECONDS } from './deliveries/backoff.ts';
import { createAttemptMetrics, registerDeliveryMetrics } from './deliveries/metrics.ts';
import { createOutbox } from './deliveries/outbox-service.ts';
import { registerOwnDeliveryRoutes } from './deliveries/own/routes.ts';
import { createOwnDeliveryService } from './deliveries/own/service.ts';
import { registerDeliveryRoutes } from './deliveries/routes.ts';
import { createSender } from './deliveries/sender.ts';
import { createDeliveryService } from './deliveries/service.ts';
import { createDeliveryWorker, type DeliveryWorker } from './deliveries/worker.ts';
import { registerEndpointRoutes } from './endpoints/routes.ts';
import { createEndpointService } from './endpoints/service.ts';
import type { DigestServiceOptions } from './notifications/digest/digest-service.ts';
import { createNotificationFeature, type NotificationFeature } from './notifications/feature.ts';
import type { Notifier } from './notifications/notify-service.ts';
import type { Persons } from './persons/service.ts';
import { registerPushRoutes } from './push/routes.ts';
import { createPushService } from './push/service.ts';
import { createAnswerService } from './requests/answers/answer-service.ts';
import { answerSealer, draftSealer } from './requests/answers/draft-sealer.ts';
import { createDeadlineStep, createSettleOverdue } from './requests/deadline-job.ts';
import { createFeedService } from './requests/feed/feed-service.ts';
import { createLinkService } from './requests/links/link-service.ts';
import { registerReceiptPage } from './requests/page/page-routes.ts';
import { createReceiptPageService } from './requests/page/page-service.ts';
import { createQuestionService } from './requests/questions/question-service.ts';
import { recordRefusedOfProviders } from './requests/refused-requests.ts';
import { createReportService } from './requests/report-service.ts';
import { createRespondService } from './requests/respond-service.ts';
import { registerResultList } from './requests/results/list-routes.ts';
import { createResultList } from './requests/results/list-service.ts';
import { registerResultMetrics } from './requests/results/metrics.ts';
import { createFindReportable, type FindReportable } from './requests/results/reportable.ts';
import { createResults } from './requests/results/results-service.ts';
import { registerRequestRoutes } from './requests/routes.ts';
import { createSettlement } from './requests/settlement.ts';
import type { ApplyProgress } from './service-requests/completion-service.ts';
import type { SettleOverdue, WithdrawMatches } from './service-requests/transition-service.ts';
import type { RawBodyOf } from './shared/json-body.ts';
import { createKeyRing } from './shared/key-ring.ts';
import { createMayReport } from './shared/providers/access.ts';
import type { Records } from './shared/records.ts';
import type { RequestContext } from './shared/request-context.ts';
import type { TextTasks } from './shared/text-tasks.ts';

const ATTEMPT_TIMEOUT_MS = 15_000;
/** A lease lasts this many timeouts of an attempt, so that an attempt ends long before another worker may repeat it. */
const LEASE_TIMEOUTS = 4;
const CONNECT_TIMEOUT_MS = 5000;
/** Enough for large groups: what a claim and a record cost is shared by all of theirs. */
const ATTEMPTS_AT_ONCE = 256;
const ATTEMPTS_PER_PROVIDER = 8;
const DEADLINE_POLL_MS = 5000;
const RESPONSES_PER_MINUTE = 300;
const SENDS_PER_MINUTE = 60;
/** New links and mails with them, of one caller. */
const LINKS = { limit: 60, windowSeconds: 60 };
const LINK_MAILS = { limit: 30, windowSeconds: 3600 };
const SWEEP_MS = 600_000;
const DRAFT_SWEEP_MS = 60_000;

export interface SendingHalfOptions extends WorkDependencies {
  readonly metrics: Metrics;
  /** Records attempts at webhooks as spans; nothing is recorded when left out. */
  readonly tracer?: Tracer | undefined;
  readonly store: FhirStore;
  readonly texts: TextTasks;
  readonly records: Records;
  readonly requestContext: RequestContext;
  readonly applyProgress: ApplyProgress;
  readonly persons: Persons;
  /** The engine, which stores the results that providers report, and its public FHIR base URL. */
  readonly results: ResultClient;
  readonly engineFhirUrl: string;
  /** Every node needs the same keys (docs/adr/0006). */
  readonly masterKeys: KeySet;
  /** The public address of the API, with `/api/v1` and without a slash at the end. */
  readonly baseUrl: string;
  readonly consentPolicy: ConsentPolicy;
  /** Requests per minute, for one receipt token and for wrong tokens of one client; 300 when left out. */
  readonly rateLimitReceipt?: number;
  /** A user as identity has it now; without it no digest of notifications is sent. */
  readonly readContact?: DigestServiceOptions['readContact'];
  /** Without it no mail is sent. */
  readonly mailer?: Mailer | undefined;
  /** KEDJA_NOTIFICATION_DAYS; 90 when left out. */
  readonly notificationDays?: number;
  /** KEDJA_TIME_ZONE: the IANA name of the time zone of dates in consents. */
  readonly timeZone: string;
  /** As KEDJA_WEBHOOK_ALLOW_PRIVATE. */
  readonly webhookAllowPrivate: boolean | readonly string[];
  /**
   * Origins that webhooks may reach even at private addresses: the engine's, which has the inbox of hosted providers.
   */
  readonly trustedOrigins?: readonly string[];
  /** Resolves host names; the system's resolver when left out. */
  readonly resolve?: Resolver;
  readonly retryScheduleSeconds?: readonly number[];
  /** Milliseconds; 15 seconds when left out. */
  readonly attemptTimeoutMs?: number;
  /** Math.random when left out. */
  readonly random?: () => number;
}

export interface SendingHalf {
  /** For revoking: withdraws open matches and notifies their providers. */
  readonly withdrawMatches: WithdrawMatches;
  readonly settleOverdue: SettleOverdue;
  readonly previewGate: PreviewGate;
  readonly findReportable: FindReportable;
  readonly worker: DeliveryWorker;
  readonly notifications: NotificationFeature;
  /** Expires pushes past their deadline; the background loop calls it. */
  expireOverdue(): Promise<boolean>;
  /**
   * Call it in a scope with the prefix `/api/v1` that reads both JSON content types and treats an empty body as `{}`.
   */
  registerRoutes(app: HttpApp, bodyText: RawBodyOf): void;
  /** Registers the pages at the root of the service. */
  registerPages(app: HttpApp): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createSendingHalf(options: SendingHalfOptions): SendingHalf {
  const { database, clock, log, metrics, baseUrl } = options;
  const audit = createAudit({ database, clock, service: 'dispatch' });
  const keys = createKeyRing(options.masterKeys);
  const guard = createAddressGuard({
    allow: options.webhookAllowPrivate,
    trustedOrigins: options.trustedOrigins ?? [],
    ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
  });
  const calendar = createCalendar(options.timeZone);
  const source = createConsentSource(options.store);
  const accessLog = createAccessLog({ database, clock });
  const gate = createConsentGate({
    database,
    source,
    policy: options.consentPolicy,
    audit,
    accessLog,
    clock,
    calendar,
  });
  const outbox = createOutbox({ clock, keys, baseUrl });
  const notifications = createNotificationFeature({ mailer: undefined, readContact: undefined, ...options, audit });
  const { notifier } = notifications;
  const settlement = createSettlement({ clock, outbox, notifier });
  const shared = { mailer: undefined, ...options, audit, gate, keys, guard, outbox, settlement, notifier };
  const { worker, close } = makeWorker(options, { gate, keys, guard, notifier });
  const expireOverdue = createDeadlineStep(shared);
  const deadlines = createWorkerLoop({ name: 'deadline', intervalMs: DEADLINE_POLL_MS, log, step: expireOverdue });
  registerDeliveryMetrics(metrics, database, clock);
  registerResultMetrics(metrics, database, clock);
  const limit = { scope: 'respond', limit: options.rateLimitReceipt ?? RESPONSES_PER_MINUTE, windowSeconds: 60 };
  const endpoints = createEndpointService(shared);
  const mayReport = createMayReport(endpoints.isHosted);
  const results = createResults(options);
  const sends = { scope: 'provider-send', limit: SENDS_PER_MINUTE, windowSeconds: 60 };
  const sendLimiter = createRateLimiter(sends, { database, clock });
  const reports = createReportService({ ...shared, mayReport, results });
  const [sealer, sentSealer] = [draftSealer(options.masterKeys), answerSealer(options.masterKeys)];
  const pages = createReceiptPageService({ ...shared, answerSealer: sentSealer });
  const answers = createAnswerService({ ...shared, pages, reports, results, sealer, answerSealer: sentSealer });
  const sweeping = createPeriodicLoop({
    name: 'rate-limit-sweep',
    intervalMs: SWEEP_MS,
    log,
    run: () => sweepRateLimits(database, clock),
  });
  const draftSweep = createPeriodicLoop({ name: 'draft-sweep', intervalMs: DRAFT_SWEEP_MS, log, run: answers.sweep });
  const features = {
    feed: createFeedService(shared),
    reports,
    reportable: createFindReportable({ database, clock }),
    responses: createRespondService({ ...shared, mayReport }),
    pages,
    answers,
    questions: createQuestionService(shared),
    links: createLinkService(shared),
    linkLimiter: createRateLimiter({ scope: 'receipt-link', ...LINKS }, { database, clock }),
    mailLimiter: createRateLimiter({ scope: 'receipt-link-mail', ...LINK_MAILS }, { database, clock }),
    respondLimiter: createRateLimiter(limit, { database, clock }),
    timeZone: options.timeZone,
  };

  return {
    withdrawMatches: (transaction, { matches, reason }) => settlement.withdraw(transaction, matches, reason),
    settleOverdue: createSettleOverdue(shared),
    previewGate: gate,
    findReportable: features.reportable,
    worker,
    notifications,
    expireOverdue,
    registerRoutes(app, bodyText) {
      recordRefusedOfProviders(app, { database, audit });
      registerEndpointRoutes(app, endpoints, sendLimiter);
      registerOwnDeliveryRoutes(app, { deliveries: createOwnDeliveryService(shared), sendLimiter });
      registerDeliveryRoutes(app, createDeliveryService(shared));
      registerPushRoutes(app, createPushService(shared));
      registerRequestRoutes(app, { ...features, bodyText });
      registerResultList(app, createResultList(options), baseUrl);
      notifications.registerRoutes(app);
    },
    registerPages: (app) => registerReceiptPage(app, features),
    async start() {
      await worker.start();
      await notifications.start();
      deadlines.start();
      sweeping.start();
      draftSweep.start();
      results.loop.start();
    },
    async stop() {
      const loops = [results.loop, sweeping, draftSweep, deadlines];
      await stopInTurn([() => stopTogether([notifications, worker, ...loops]), close]);
    },
  };
}

function makeWorker(
  options: SendingHalfOptions,
  parts: {
    gate: ReturnType<typeof createConsentGate>;
    keys: ReturnType<typeof createKeyRing>;
    guard: ReturnType<typeof createAddressGuard>;
    notifier: Notifier;
  },
): { worker: DeliveryWorker; close: () => Promise<void> } {
  const { database, clock, log, metrics } = options;
  const dispatcher = createGuardedAgent({
    guard: parts.guard,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    // Several providers may share an origin (those that the engine hosts do). A limit of one must not be that of the
    // origin.
    connectionsPerOrigin: ATTEMPTS_AT_ONCE,
  });
  const timeoutMs = options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS;
  const worker = createDeliveryWorker({
    database,
    clock,
    log,
    ...createAttemptMetrics(metrics),
    gate: parts.gate,
    keys: parts.keys,
    notifier: parts.notifier,
    send: createSender({ dispatcher, timeoutMs }),
    tracer: options.tracer,
    backoff: {
      scheduleSeconds: options.retryScheduleSeconds ?? RETRY_SCHEDULE_SECONDS,
      random: options.random ?? Math.random,
    },
    limits: { total: ATTEMPTS_AT_ONCE, perProvider: ATTEMPTS_PER_PROVIDER },
    leaseMs: timeoutMs * LEASE_TIMEOUTS,
    startWithinMs: timeoutMs,
  });
  return { worker, close: () => dispatcher.destroy() };
}

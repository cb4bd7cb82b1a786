// Creates what belongs to notifications (docs/adr/0070): the notifier that other features write with, the routes, and
// the background work.
import type { Audit } from '#lib/audit/audit.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { registerDigestRoutes } from './digest/digest-routes.ts';
import { createDigestService, type DigestServiceOptions } from './digest/digest-service.ts';
import { createNotificationHub } from './hub.ts';
import { createNotificationMaintenance } from './maintenance-job.ts';
import { createNotifier, type Notifier } from './notify-service.ts';
import { registerNotificationRoutes } from './routes.ts';
import { createNotificationService } from './service.ts';
import { registerNotificationStream, registerWorklistStream } from './stream-routes.ts';

const MAINTENANCE_MS = 60_000;
const KEPT_DAYS = 90;

export interface NotificationFeatureOptions extends DigestServiceOptions {
  readonly log: Logger;
  readonly audit: Audit;
  /** For how many days notifications are kept; 90 when left out. */
  readonly notificationDays?: number;
}

export interface NotificationFeature {
  readonly notifier: Notifier;
  /** Shares what is unread and deletes what is old; the background loop calls it. */
  maintain(): Promise<boolean>;
  /** Queues a digest that is due, and returns whether there was one; the background loop calls it. */
  sendDigest(): Promise<boolean>;
  registerRoutes(app: HttpApp): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createNotificationFeature(options: NotificationFeatureOptions): NotificationFeature {
  const { log, notificationDays: keptDays = KEPT_DAYS } = options;
  const digests = createDigestService(options);
  const digestLoop = createWorkerLoop({ name: 'digests', intervalMs: MAINTENANCE_MS, log, step: digests.sendNext });
  const hub = createNotificationHub(options);
  const maintain = createNotificationMaintenance({ ...options, keptDays });
  const loop = createWorkerLoop({ name: 'notifications', intervalMs: MAINTENANCE_MS, log, step: maintain });
  return {
    notifier: createNotifier(options),
    maintain,
    sendDigest: digests.sendNext,
    registerRoutes(app) {
      registerNotificationRoutes(app, createNotificationService(options));
      registerDigestRoutes(app, digests);
      registerNotificationStream(app, { hub, audit: options.audit });
      registerWorklistStream(app, { hub });
    },
    async start() {
      await hub.start();
      loop.start();
      digestLoop.start();
    },
    async stop() {
      await Promise.all([hub.stop(), loop.stop(), digestLoop.stop()]);
    },
  };
}

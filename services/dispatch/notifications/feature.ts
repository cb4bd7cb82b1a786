// Creates what belongs to notifications (docs/adr/0070): the notifier that other features write with, the routes, and
// the background work.
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createWorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createNotificationHub } from './hub.ts';
import { createNotificationMaintenance } from './maintenance-job.ts';
import { createNotifier, type Notifier } from './notify-service.ts';
import { registerNotificationRoutes } from './routes.ts';
import { createNotificationService } from './service.ts';
import { registerNotificationStream } from './stream-routes.ts';

const MAINTENANCE_MS = 60_000;
const KEPT_DAYS = 90;

export interface NotificationFeatureOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly audit: Audit;
  /** For how many days notifications are kept; 90 when left out. */
  readonly notificationDays?: number;
}

export interface NotificationFeature {
  readonly notifier: Notifier;
  /** Shares what is unread and deletes what is old; the background loop calls it. */
  maintain(): Promise<boolean>;
  registerRoutes(app: HttpApp): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createNotificationFeature(options: NotificationFeatureOptions): NotificationFeature {
  const { log, notificationDays: keptDays = KEPT_DAYS } = options;
  const hub = createNotificationHub(options);
  const maintain = createNotificationMaintenance({ ...options, keptDays });
  const loop = createWorkerLoop({ name: 'notifications', intervalMs: MAINTENANCE_MS, log, step: maintain });
  return {
    notifier: createNotifier(options),
    maintain,
    registerRoutes(app) {
      registerNotificationRoutes(app, createNotificationService(options));
      registerNotificationStream(app, { hub, audit: options.audit });
    },
    async start() {
      await hub.start();
      loop.start();
    },
    async stop() {
      await Promise.all([hub.stop(), loop.stop()]);
    },
  };
}

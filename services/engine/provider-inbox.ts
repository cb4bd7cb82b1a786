// Creates the provider inbox (decision E10): webhooks, tasks, reports, and the courier that sends decisions and reports
// to dispatch.
import type { DispatchClient } from '#clients/dispatch-client.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createRateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createSealer, type Sealer } from '#lib/secrets/sealer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { createBundleReader } from './provider-tasks/bundle-reader.ts';
import { createCourier } from './provider-tasks/courier.ts';
import { createHousekeeping } from './provider-tasks/housekeeping.ts';
import { createInboxAdmin } from './provider-tasks/inbox/inbox-admin.ts';
import { registerInbox } from './provider-tasks/inbox/inbox-routes.ts';
import { createInboxService } from './provider-tasks/inbox/inbox-service.ts';
import { createReportList } from './provider-tasks/report-list-service.ts';
import { createReportService } from './provider-tasks/report-service.ts';
import { registerTakeOver, registerTaskChanges, registerTaskLists, registerTasks } from './provider-tasks/routes.ts';
import { createTaskService } from './provider-tasks/task-service.ts';
import { createTaskView } from './provider-tasks/task-view.ts';
import type { ProviderService } from './providers/service.ts';
import type { ResourceWriter } from './shared/resource-writer.ts';

const RECEIPTS_PER_MINUTE = 300;

export interface ProviderInboxDependencies extends WriteDependencies {
  readonly log: Logger;
  readonly writer: ResourceWriter;
  readonly providers: ProviderService;
  readonly parameters: SearchParameters;
  /** For large bundles and reports. All are read on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
  readonly dispatch: DispatchClient;
  /** Keys that are not in the database. They seal webhook secrets and receipt tokens. */
  readonly sealingKeys: KeySet;
  /** The engine's public FHIR base URL. */
  readonly baseUrl: string;
  /** The URL, with `/api/v1`, at which dispatch reaches the engine. */
  readonly webhookBaseUrl: string;
  /**
   * How many requests a minute one receipt token may make, and how many wrong tokens one client may send; 300 when left
   * out.
   */
  readonly receiptsPerMinute?: number;
}

export interface ProviderInbox {
  /** The background loops. */
  readonly loops: readonly WorkerLoop[];
  register(app: HttpApp): void;
}

/** Creates the sealer of webhook secrets and receipt tokens. */
export function inboxSealer(keys: KeySet): Sealer {
  const place = 'provider_inbox.secret_sealed or provider_task.receipt_sealed';
  return createSealer({ keys, purpose: 'kedja engine inbox', place });
}

export function createProviderInbox(deps: ProviderInboxDependencies): ProviderInbox {
  const sealer = inboxSealer(deps.sealingKeys);
  const courier = createCourier({ ...deps, sealer });
  const readBundles = createBundleReader(deps);
  const shared = { ...deps, sealer, courier, readBundles, show: createTaskView({ ...deps, sealer, readBundles }) };
  const tasks = createTaskService(shared);
  const reports = createReportService(shared);
  const inbox = createInboxService(shared);
  const limit = { scope: 'receipt', limit: deps.receiptsPerMinute ?? RECEIPTS_PER_MINUTE, windowSeconds: 60 };
  const features = { tasks, reports, reportList: createReportList(deps), limiter: createRateLimiter(limit, deps) };
  const admin = createInboxAdmin({ ...shared, baseUrl: deps.webhookBaseUrl });
  return {
    loops: [courier.loop, createHousekeeping(deps)],
    register(app) {
      registerTaskLists(app, tasks);
      registerTasks(app, features);
      registerTakeOver(app, tasks);
      registerTaskChanges(app, features);
      registerInbox(app, inbox, admin);
    },
  };
}

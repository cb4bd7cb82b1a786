// Creates bulk exports and imports: their service, routes and worker loops (docs/adr/0015).
import type { HttpApp } from '#lib/http/http-app.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { groupReader } from './group.ts';
import { registerBulkList } from './list-routes.ts';
import { registerBulk } from './routes.ts';
import { type BulkDependencies, createBulkService } from './service.ts';
import { createBulkWorkers } from './workers.ts';

export interface Bulk {
  register(app: HttpApp): Promise<void>;
  readonly loops: readonly WorkerLoop[];
}

export function createBulk(deps: BulkDependencies & { readonly log: Logger; readonly baseUrl: string }): Bulk {
  const loops = createBulkWorkers(deps);
  const wake = () => {
    for (const loop of loops) loop.wake();
  };
  const bulk = createBulkService({ ...deps, wake });
  return {
    loops,
    async register(app) {
      await registerBulk(app, { ...deps, bulk, patientsOfGroup: groupReader(deps) });
      registerBulkList(app, bulk);
    },
  };
}

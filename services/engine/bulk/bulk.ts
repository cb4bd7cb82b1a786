// Creates bulk exports and imports: their service, routes and worker loops (docs/adr/0015).
import type { HttpApp } from '#lib/http/http-app.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import { groupReader } from './group.ts';
import { registerBulkList } from './list-routes.ts';
import { registerBulk } from './routes.ts';
import { createBulkService } from './service.ts';
import { type BulkWorkerDependencies, createBulkWorkers } from './workers.ts';

export interface Bulk {
  register(app: HttpApp): Promise<void>;
  readonly loops: readonly WorkerLoop[];
}

export function createBulk(deps: BulkWorkerDependencies & { readonly baseUrl: string }): Bulk {
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

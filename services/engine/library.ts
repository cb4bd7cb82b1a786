// Creates the library: lookup tables, concepts, activities, goals, and the publication of plans (decisions E6, E7).
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerActivities } from './activities/routes.ts';
import { createActivityService } from './activities/service.ts';
import { registerConcepts } from './concepts/routes.ts';
import { createConceptService } from './concepts/service.ts';
import { registerGoals } from './goals/routes.ts';
import { createGoalService } from './goals/service.ts';
import { registerLookup } from './lookups/routes.ts';
import { createLookupService } from './lookups/service.ts';
import { lookupTables } from './lookups/tables.ts';
import { checkUcum } from './lookups/ucum.ts';
import { registerPlans } from './plans/routes.ts';
import { createPlanService } from './plans/service.ts';
import type { ResourceWriter } from './shared/resource-writer.ts';

export interface LibraryDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly writer: ResourceWriter;
  /** The engine's FHIR base URL, under which published definitions get their urls. */
  readonly baseUrl: string;
}

/** Returns a function that registers every route of the library. */
export function createLibrary(deps: LibraryDependencies): (app: HttpApp) => void {
  const tables = lookupTables(checkUcum);
  const lookups = tables.map((spec) => ({ spec, service: createLookupService({ ...deps, spec }) }));
  const concepts = createConceptService(deps);
  const activities = createActivityService(deps);
  const goals = createGoalService(deps);
  const plans = createPlanService(deps);
  return (app) => {
    for (const { spec, service } of lookups) registerLookup(app, spec, service);
    registerConcepts(app, concepts);
    registerActivities(app, activities, (activity) => plans.activityDefinition(activity.activity_guid));
    registerGoals(app, goals);
    registerPlans(app, plans);
  };
}

// Routes of goals (contract: engine, "Activities and goals"; decision E7).
import { checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerRecordRoutes, summariesOf } from '../shared/record-routes.ts';
import { Goal, GoalInput, GoalQuery } from './schema.ts';
import type { GoalService } from './service.ts';

export function registerGoals(app: HttpApp, service: GoalService): void {
  registerRecordRoutes(app, {
    path: '/goals',
    tags: ['library'],
    permissions: { read: 'library:read', write: 'library:write' },
    schemas: { output: Goal, input: GoalInput, query: GoalQuery },
    summaries: summariesOf('goal'),
    check: checkedOnSchemaError(service.issuesOf),
    service,
    guidOf: ({ goal_guid: guid }) => guid,
    removal: { summary: 'Delete a goal', remove: service.remove },
  });
}

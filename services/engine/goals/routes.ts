// Routes of goals (contract: engine, "Activities and goals"; decision E7).
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerLibraryRoutes, summariesOf } from '../shared/record-routes.ts';
import { Goal, GoalInput, GoalQuery } from './schema.ts';
import type { GoalService } from './service.ts';

export function registerGoals(app: HttpApp, service: GoalService): void {
  registerLibraryRoutes(app, service, {
    path: '/goals',
    schemas: { output: Goal, input: GoalInput, query: GoalQuery },
    summaries: summariesOf('goal'),
    guidOf: ({ goal_guid: guid }) => guid,
    versionOf: ({ version }) => version,
    removal: { summary: 'Delete a goal' },
  });
}

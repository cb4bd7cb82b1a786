// Publishes plans (decision E7). A publication is a copy of the library at that moment, with a url and a version. Later
// publications do not change it.
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import { ownerOfDefinition } from '../shared/policies.ts';
import { type Reference, unknownReferences } from '../shared/references.ts';
import type { ResourceWriter } from '../shared/resource-writer.ts';
import { requireRow } from '../shared/sql.ts';
import { buildActivityDefinition } from './activity-definition.ts';
import { buildPlanDefinition } from './plan-definition.ts';
import type { ResolvedActivity, ResolvedGoal } from './resolved.ts';
import type { PlanInput, PublishedPlan } from './schema.ts';
import { nextPlanVersion, resolveActivities, resolveGoals } from './store.ts';

export interface PlanService {
  /** Returns the unknown references of a plan. Its fields may have any type. */
  issuesOf(fields: BodyFields): Promise<Issue[]>;
  /** @throws ServiceError `validation_error` for unknown guids; `unprocessable` for activities that are not active */
  publish(input: PlanInput, principal: Principal): Promise<PublishedPlan>;
  /** The activity as an R5 ActivityDefinition. @throws ServiceError `not_found` */
  activityDefinition(activityGuid: string): Promise<object>;
}

export interface PlanServiceDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly writer: ResourceWriter;
  /** The engine's FHIR base, under which published things get their urls. */
  readonly baseUrl: string;
}

export function createPlanService(deps: PlanServiceDependencies): PlanService {
  const { database, clock, writer, baseUrl } = deps;

  function readLibrary(input: PlanInput): Promise<{ activities: ResolvedActivity[]; goals: ResolvedGoal[] }> {
    return database.transaction(
      async (tx) => ({
        activities: await resolveActivities(tx, input.activities),
        goals: await resolveGoals(tx, input.goals ?? []),
      }),
      { isolation: 'repeatable read', readOnly: true },
    );
  }

  /** Versions that clients have stored under the url are skipped. */
  async function nextVersion(tx: Transaction, url: string): Promise<string> {
    for (;;) {
      const version = String(await nextPlanVersion(tx, url));
      if (!(await writer.lockVersion(tx, { type: 'PlanDefinition', url, version }))) return version;
    }
  }

  return {
    issuesOf: (fields) => unknownReferences(database, referencesOf(fields)),
    async publish(input, principal) {
      const { activities, goals } = await readLibrary(input);
      requireAll(input, activities, goals);
      requireActive(activities);
      const id = newGuid(clock.now());
      const url = input.url ?? `${baseUrl}/PlanDefinition/${id}`;
      const publishedAt = clock.now();
      const version = await database.transaction(async (tx) => {
        const next = await nextVersion(tx, url);
        const description = input.description ?? undefined;
        const parts = { url, version: next, title: input.title, description, publishedAt, activities, goals };
        await writer.create(tx, JSON.stringify(buildPlanDefinition(parts)), {
          id,
          organisation: ownerOfDefinition(principal),
        });
        return next;
      });
      const at = new Date(publishedAt).toISOString();
      return { plan_definition_id: id, url, version, title: input.title, status: 'active', published_at: at };
    },
    async activityDefinition(activityGuid) {
      const activity = requireRow(await resolveActivities(database, [activityGuid]), 'Activity');
      return buildActivityDefinition(activity, `${baseUrl}/ActivityDefinition/${activity.guid}`);
    },
  };
}

function referencesOf({ activities, goals }: BodyFields): Reference[] {
  const all = (field: string, table: 'activity' | 'goal', guids: unknown): Reference[] =>
    (Array.isArray(guids) ? guids : []).map((guid: unknown, index) => ({ field: `${field}[${index}]`, table, guid }));
  return [...all('activities', 'activity', activities), ...all('goals', 'goal', goals)];
}

function requireAll(input: PlanInput, activities: readonly ResolvedActivity[], goals: readonly ResolvedGoal[]): void {
  const issues = [
    ...unknownIssues('activities', 'activity', input.activities, activities),
    ...unknownIssues('goals', 'goal', input.goals ?? [], goals),
  ];
  if (issues.length > 0) throw validationError(issues);
}

function unknownIssues(
  field: string,
  what: string,
  wanted: readonly string[],
  found: readonly { readonly guid: string }[],
): Issue[] {
  const known = new Set(found.map(({ guid }) => guid));
  return wanted.flatMap((guid, index) => {
    const at = `${field}[${index}]`;
    return known.has(guid) ? [] : [{ field: at, message: `'${at}': there is no ${what} ${guid}`, code: 'not-found' }];
  });
}

function requireActive(activities: readonly ResolvedActivity[]): void {
  const issues = activities
    .filter(({ status }) => status !== 'active')
    .map(({ name, status }) => ({ message: `The activity '${name}' is ${status}; only active ones can be published` }));
  if (issues.length === 0) return;
  throw new ServiceError('unprocessable', issues.map((issue) => issue.message).join('; '), { issues });
}

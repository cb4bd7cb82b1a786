// Loads the demo's library into the engine: lookup tables, concepts, activities with transactions, goals, published
// plans and forms. It finds existing ones by name, code or canonical url.
import Type from 'typebox';
import type { Api } from './api.ts';
import {
  CONCEPT_TYPES,
  CONCEPTS,
  conceptOf,
  type DemoConcept,
  LIBRARY,
  RESPONSE_TYPES,
  UNITS,
} from './content/concepts.ts';
import { FORMS } from './content/forms.ts';
import { ACTIVITIES, type DemoActivity, type DemoGoal, type DemoPlan, GOALS, PLANS } from './content/plans.ts';
import { buildQuestionnaire } from './content/questionnaire.ts';
import { existsOrPut } from './records.ts';
import { forEachOf, type Progress } from './work.ts';

const BASE = '/api/v1';

type Guids = ReadonlyMap<string, string>;

interface Tables {
  readonly library: string;
  readonly types: Guids;
  readonly responses: Guids;
  readonly units: Guids;
}

export interface LoadedLibrary {
  /** Guids of the concepts by code. */
  readonly concepts: Guids;
}

export async function loadLibrary(api: Api, progress: Progress): Promise<LoadedLibrary> {
  const tables = await loadTables(api);
  const concepts = await loadConcepts(api, tables, progress);
  const activities = await loadActivities(api, { ...tables, concepts }, progress);
  const goals = await loadGoals(api, { ...tables, concepts, activities }, progress);
  await forEachOf(Object.values<DemoPlan>(PLANS), async (plan) => {
    await publish(api, plan, { activities, goals });
    progress.step('plans');
  });
  await forEachOf(Object.values(FORMS), async (form) => {
    await existsOrPut(api, buildQuestionnaire(form));
    progress.step('forms');
  });
  return { concepts };
}

async function loadTables(api: Api): Promise<Tables> {
  const named = (names: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(names).map(([key, name]) => [key, { name }]));
  const libraries = await ensureNamed(api, 'canonical_lib', { library: LIBRARY });
  return {
    library: guidOf(libraries, 'library'),
    types: await ensureNamed(api, 'concept_type', named(CONCEPT_TYPES)),
    responses: await ensureNamed(api, 'response_type', RESPONSE_TYPES),
    units: await ensureNamed(api, 'unit', UNITS),
  };
}

/** Guids of a lookup table's entries by the keys of the demo's data. */
async function ensureNamed(
  api: Api,
  table: 'canonical_lib' | 'concept_type' | 'response_type' | 'unit',
  wanted: Readonly<Record<string, { readonly name: string }>>,
): Promise<Guids> {
  const path = `${BASE}/${table.replace('_', '-')}s`;
  const guidField = `${table}_guid`;
  const Entry = Type.Object({ name: Type.String(), [guidField]: Type.String() });
  const known = new Map((await list(api, path, Entry)).map((entry) => [entry['name'], entry[guidField] ?? '']));
  const ensure = async ([key, input]: [string, { readonly name: string }]): Promise<[string, string]> => {
    const guid = known.get(input.name) ?? (await api.post(path, input, Entry))[guidField];
    return [key, guid ?? ''];
  };
  return new Map(await forEachOf(Object.entries(wanted), ensure));
}

const Concept = Type.Object({ concept_guid: Type.String(), concept_code: Type.String() });

async function loadConcepts(api: Api, tables: Tables, progress: Progress): Promise<Guids> {
  const path = `${BASE}/concepts`;
  const known = await list(api, path, Concept, { canonical_lib: tables.library });
  const guids = new Map(known.map((concept) => [concept.concept_code, concept.concept_guid]));
  const input = ({ code, display, type, response, values }: DemoConcept) => ({
    canonical_lib: tables.library,
    concept_code: code,
    concept_name: display,
    concept_display_text: display,
    concept_type: guidOf(tables.types, type),
    ...(response === undefined ? {} : { response_type: guidOf(tables.responses, response) }),
    ...(values === undefined ? {} : { values }),
  });
  await forEachOf(CONCEPTS, async (concept) => {
    if (!guids.has(concept.code)) {
      guids.set(concept.code, (await api.post(path, input(concept), Concept)).concept_guid);
    }
    progress.step('concepts');
  });
  return guids;
}

const Activity = Type.Object({
  activity_guid: Type.String(),
  concept: Type.String(),
  transactions: Type.Array(Type.Object({ name: Type.String() })),
});

/** Guids of activities by the codes of their concepts. */
async function loadActivities(
  api: Api,
  context: Tables & { readonly concepts: Guids },
  progress: Progress,
): Promise<Guids> {
  const path = `${BASE}/activities`;
  const known = await list(api, path, Activity);
  const ensure = async ({ name, description, concept, transactions }: DemoActivity): Promise<[string, string]> => {
    const guid = guidOf(context.concepts, concept);
    const found = known.find((activity) => activity.concept === guid);
    const input = { name, description, concept: guid, status: 'active' };
    const activity = found ?? (await api.post(path, input, Activity));
    const present = new Set(activity.transactions.map((transaction) => transaction.name));
    for (const transaction of transactions.filter((entry) => !present.has(entry.name))) {
      const { response, unit } = conceptOf(transaction.concept);
      const body = {
        ...transaction,
        concept: guidOf(context.concepts, transaction.concept),
        ...(response === undefined ? {} : { response_type: guidOf(context.responses, response) }),
        ...(unit === undefined ? {} : { unit: guidOf(context.units, unit) }),
      };
      await api.post(`${path}/${activity.activity_guid}/transactions`, body, Type.Object({}));
    }
    progress.step('activities');
    return [concept, activity.activity_guid];
  };
  return new Map(await forEachOf(ACTIVITIES, ensure));
}

const Goal = Type.Object({ goal_guid: Type.String(), name: Type.String() });

/** Guids of goals by the codes of their concepts. */
async function loadGoals(
  api: Api,
  context: Tables & { readonly concepts: Guids; readonly activities: Guids },
  progress: Progress,
): Promise<Guids> {
  const path = `${BASE}/goals`;
  const known = await list(api, path, Goal);
  const ensure = async ({ name, concept, target, due, activities }: DemoGoal): Promise<[string, string]> => {
    const { unit } = conceptOf(concept);
    const input = {
      name,
      concept: guidOf(context.concepts, concept),
      target: { ...target, ...(unit === undefined ? {} : { unit: guidOf(context.units, unit) }) },
      due,
      activities: activities.map((code) => guidOf(context.activities, code)),
    };
    const goal = known.find((entry) => entry.name === name) ?? (await api.post(path, input, Goal));
    progress.step('goals');
    return [concept, goal.goal_guid];
  };
  return new Map(await forEachOf(GOALS, ensure));
}

const Found = Type.Object({ total: Type.Number() });

async function publish(
  api: Api,
  plan: DemoPlan,
  { activities, goals }: { readonly activities: Guids; readonly goals: Guids },
): Promise<void> {
  const { title, description, url } = plan;
  const { total } = await api.get(`${BASE}/PlanDefinition?${new URLSearchParams({ url })}`, Found);
  if (total > 0) return;
  const input = {
    title,
    description,
    url,
    activities: plan.activities.map((code) => guidOf(activities, code)),
    goals: plan.goals.map((code) => guidOf(goals, code)),
  };
  await api.post(`${BASE}/plan-definitions`, input, Type.Object({}));
}

async function list<T extends Type.TSchema>(
  api: Api,
  path: string,
  item: T,
  query: Readonly<Record<string, string>> = {},
): Promise<Type.Static<T>[]> {
  const page = Type.Object({ data: Type.Array(item) });
  const { data } = await api.get(`${path}?${new URLSearchParams({ ...query, per_page: '200' })}`, page);
  return data;
}

function guidOf(guids: Guids, key: string): string {
  const guid = guids.get(key);
  if (guid === undefined) throw new Error(`The demo's library has no ${key}`);
  return guid;
}

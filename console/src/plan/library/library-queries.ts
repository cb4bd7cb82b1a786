// What the library's screens read: concepts, activities, goals, and the tables that they refer to.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { PlanDefinition } from 'fhir/r5';
import { engine, read } from '../../api/clients.ts';
import { getJson, putJson, searchFhir } from '../../api/fhir.ts';
import type { EngineShapes } from '../../api/shapes.ts';

const MOST = { per_page: 200 } as const;

/** The published plans, by title. */
export function usePublishedPlans() {
  const parameters = { status: 'active', _sort: 'title', _count: '200' };
  return useQuery({
    queryKey: ['plan-definitions'],
    queryFn: () => searchFhir<PlanDefinition>('engine', 'PlanDefinition', parameters),
  });
}

/** Those that are out of use. */
export function useRetiredPlans() {
  const parameters = { status: 'retired', _sort: 'title', _count: '200' };
  return useQuery({
    queryKey: ['plan-definitions', 'retired'],
    queryFn: () => searchFhir<PlanDefinition>('engine', 'PlanDefinition', parameters),
  });
}

/** One published plan as it is now, with its version at the engine. @throws Problem */
export async function readPlan(id: string): Promise<PlanDefinition> {
  return (await getJson(planAddress(id))) as PlanDefinition;
}

/** Takes it out of use, or back. @throws Problem (412 where it was changed meanwhile) */
export async function storePlanAs(id: string, status: 'active' | 'retired'): Promise<void> {
  const plan = await readPlan(id);
  await putJson(planAddress(id), { ...plan, status }, plan.meta?.versionId);
}

function planAddress(id: string): string {
  return `/engine/api/v1/PlanDefinition/${encodeURIComponent(id)}`;
}

export function useActivities() {
  return useQuery({
    queryKey: ['library', 'activities'],
    queryFn: () => read(engine.GET('/api/v1/activities', { params: { query: MOST } })),
  });
}
export type Activity = EngineShapes['Activity'];

export function useGoals() {
  return useQuery({
    queryKey: ['library', 'goals'],
    queryFn: () => read(engine.GET('/api/v1/goals', { params: { query: MOST } })),
  });
}
export type LibraryGoal = EngineShapes['LibraryGoal'];

/** Those whose name has the text; all for an empty one. */
export function useConcepts(search: string) {
  const text = search.trim();
  const query = { per_page: 50, ...(text === '' ? {} : { search: text }) };
  return useQuery({
    queryKey: ['library', 'concepts', text],
    queryFn: () => read(engine.GET('/api/v1/concepts', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

export type Concept = EngineShapes['Concept'];

export function useUnits() {
  return useQuery({
    queryKey: ['library', 'units'],
    queryFn: () => read(engine.GET('/api/v1/units', { params: { query: MOST } })),
  });
}

export function useResponseTypes() {
  return useQuery({
    queryKey: ['library', 'response-types'],
    queryFn: () => read(engine.GET('/api/v1/response-types', { params: { query: MOST } })),
  });
}

export function useLibraries() {
  return useQuery({
    queryKey: ['library', 'libraries'],
    queryFn: () => read(engine.GET('/api/v1/canonical-libs', { params: { query: MOST } })),
  });
}

export type CodeSystem = EngineShapes['CanonicalLib'];

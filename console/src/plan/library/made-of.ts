// What a published plan was made of, as far as the library still has it: a plan is a copy without guids. An entry is
// found by its name. One that was renamed is found by its concept, where no other has the same.
import type { CodeableConcept, PlanDefinition } from 'fhir/r5';
import type { Activity, LibraryGoal } from './library-queries.ts';

interface MadeOf {
  readonly title: string;
  /** Guids, in the order of the plan. */
  readonly activities: readonly string[];
  readonly goals: readonly string[];
  /** The names of what the library does not have, or not in use. */
  readonly missing: readonly string[];
}

interface Entry {
  readonly guid: string;
  readonly name: string;
  readonly concept: string;
}

interface Part {
  readonly name: string;
  readonly concept: string | undefined;
}

export function madeOf(
  { title = '', action = [], goal = [] }: Pick<PlanDefinition, 'title' | 'action' | 'goal'>,
  activities: readonly Pick<Activity, 'activity_guid' | 'name' | 'status' | 'concept_name'>[],
  goals: readonly Pick<LibraryGoal, 'goal_guid' | 'name' | 'concept_name'>[],
): MadeOf {
  const active = activities.filter(({ status }) => status === 'active');
  const done = found(
    action.map(({ title: name = '', code }) => ({ name, concept: nameOf(code) })),
    active.map(({ activity_guid: guid, name, concept_name: concept }) => ({ guid, name, concept })),
  );
  const aims = found(
    goal.map(({ description, target }) => ({ name: description.text ?? '', concept: nameOf(target?.[0]?.measure) })),
    goals.map(({ goal_guid: guid, name, concept_name: concept }) => ({ guid, name, concept })),
  );
  return { title, activities: done.guids, goals: aims.guids, missing: [...done.missing, ...aims.missing] };
}

function nameOf(concept: CodeableConcept | undefined): string | undefined {
  return concept?.text ?? concept?.coding?.[0]?.display;
}

function found(parts: readonly Part[], entries: readonly Entry[]) {
  const names = new Set(parts.map(({ name }) => name));
  const guids = parts.map((part) => {
    const same = entries.find(({ name }) => name === part.name);
    const alike = entries.filter(({ name, concept }) => concept === part.concept && !names.has(name));
    return same?.guid ?? (alike.length === 1 ? alike[0]?.guid : undefined);
  });
  return {
    guids: [...new Set(guids.filter((guid) => guid !== undefined))],
    missing: parts.filter((_, index) => guids[index] === undefined).map(({ name }) => name),
  };
}

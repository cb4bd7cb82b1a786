// All work on texts that dispatch has threads do, by its names.
import { NAMED_DEFINITIONS, PATIENT_OF_PLAN, PLAN, PLAN_ANSWER } from './careplans/plan-tasks.ts';
import { FORM_TITLE, FROZEN_FORM, NAMED_VALUE_SETS, SHOWN_FORM } from './forms/form-tasks.ts';
import { CODES } from './matches/service.ts';
import { PUSH_BUNDLE } from './push/bundle-task.ts';
import { PAGE_CONTENT } from './requests/page/page-summary.ts';
import { ARCHIVED, FROZEN, LOST_RESULTS, MOVED, RESULT } from './service-requests/change-tasks.ts';
import { DRAFT, SNAPSHOT, SNAPSHOT_APPLIED } from './service-requests/draft-tasks.ts';
import type { TaskMessage, TextTask } from './shared/text-tasks.ts';

const WORKS: readonly TextTask<never, unknown>[] = [
  ...[NAMED_DEFINITIONS, PATIENT_OF_PLAN, PLAN, PLAN_ANSWER],
  ...[FORM_TITLE, FROZEN_FORM, NAMED_VALUE_SETS, SHOWN_FORM],
  ...[CODES, PUSH_BUNDLE, PAGE_CONTENT],
  ...[ARCHIVED, FROZEN, LOST_RESULTS, MOVED, RESULT],
  ...[DRAFT, SNAPSHOT, SNAPSHOT_APPLIED],
];
const BY_NAME: ReadonlyMap<string, TextTask<never, unknown>> = new Map(WORKS.map((work) => [work.name, work]));

/** @throws ServiceError what the work throws */
export function runTextTask({ name, input: given }: TaskMessage): unknown {
  const work = BY_NAME.get(name);
  if (work === undefined) throw new Error(`No thread knows the work '${name}'`);
  return work.run(given as never);
}

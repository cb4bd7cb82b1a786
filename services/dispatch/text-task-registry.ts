// The text tasks that a worker thread of dispatch can run, by name (./shared/text-tasks.ts).
import { NAMED_DEFINITIONS, PATIENT_OF_PLAN, PLAN, PLAN_ANSWER } from './careplans/plan-tasks.ts';
import { FORM_TITLE, FROZEN_FORM, NAMED_VALUE_SETS, SHOWN_FORM } from './forms/form-tasks.ts';
import { CODES } from './matches/service.ts';
import { ANSWER_IN_PLAN, ANSWER_WITHDRAWN, PATIENT_ANSWER } from './patient-forms/answer-task.ts';
import { FORM_ID, FORMS_OF_PLAN, PLAN_HEAD } from './patient-forms/plan-form-task.ts';
import { PUSH_BUNDLE } from './push/bundle-task.ts';
import { FORM_STEP } from './requests/answers/form-task.ts';
import { PAGE_CONTENT } from './requests/page/page-summary.ts';
import { RESULTS } from './requests/results/results-task.ts';
import { ARCHIVED, FROZEN, LATE_RESULTS, LOST_RESULTS, MOVED, RESULT } from './service-requests/change-tasks.ts';
import { DRAFT, SNAPSHOT, SNAPSHOT_APPLIED, SNAPSHOT_ISSUES } from './service-requests/draft-tasks.ts';
import type { TaskMessage, TextTask } from './shared/text-tasks.ts';

const TASKS: readonly TextTask<never, unknown>[] = [
  ...[NAMED_DEFINITIONS, PATIENT_OF_PLAN, PLAN, PLAN_ANSWER],
  ...[FORM_TITLE, FROZEN_FORM, NAMED_VALUE_SETS, SHOWN_FORM],
  ...[CODES, PUSH_BUNDLE, PAGE_CONTENT, FORM_STEP, RESULTS],
  ...[ANSWER_IN_PLAN, ANSWER_WITHDRAWN, PATIENT_ANSWER, FORM_ID, FORMS_OF_PLAN, PLAN_HEAD],
  ...[ARCHIVED, FROZEN, LATE_RESULTS, LOST_RESULTS, MOVED, RESULT],
  ...[DRAFT, SNAPSHOT, SNAPSHOT_APPLIED, SNAPSHOT_ISSUES],
];
const BY_NAME: ReadonlyMap<string, TextTask<never, unknown>> = new Map(TASKS.map((task) => [task.name, task]));

/** Runs the task. @throws ServiceError what the task throws */
export function runTextTask({ name, input }: TaskMessage): unknown {
  const task = BY_NAME.get(name);
  if (task === undefined) throw new Error(`No thread knows the task '${name}'`);
  return task.run(input as never);
}

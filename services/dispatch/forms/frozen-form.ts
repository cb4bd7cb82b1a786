// Reads each Questionnaire and the ValueSets that it names from the plan service, before any transaction. It freezes
// them by text tasks (decisions D3, D12; ./form-tasks.ts).
import type { PlanClient } from '#clients/plan-client.ts';
import { messageOf, ServiceError } from '#lib/errors.ts';
import type { Actor } from '../shared/actor.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { FROZEN_FORM, type Freezing, formIssue, NAMED_VALUE_SETS } from './form-tasks.ts';
import type { FrozenForm } from './schema.ts';

/** The size limit of what can be sent to a provider (../shared/bundle-size.ts). */
const MAX_FORM_BYTES = 10 * 1024 * 1024;

export interface FormSource {
  readonly plans: Pick<PlanClient, 'readForm' | 'expandValueSet'>;
  readonly texts: TextTasks;
}

/**
 * Reads and freezes forms.
 * @throws ServiceError `unprocessable` that names every form that cannot be read or shown; `upstream_unavailable`,
 * `upstream_error`
 */
export async function freezeForms(
  source: FormSource,
  formGuids: readonly string[],
  actor?: Actor,
): Promise<FrozenForm[]> {
  // One after the other: together they would exceed the memory and the thread queue of one caller.
  const results: Freezing[] = [];
  for (const formGuid of formGuids) results.push(await freezeForm(source, formGuid, actor));
  const issues = results.flatMap((result) => ('issues' in result ? result.issues : []));
  if (issues.length > 0) throw new ServiceError('unprocessable', messageOf(issues), { issues });
  return results.flatMap((result) => ('form' in result ? [result.form] : []));
}

async function freezeForm({ plans, texts }: FormSource, formGuid: string, actor?: Actor): Promise<Freezing> {
  const form = await plans.readForm(formGuid);
  if (form === undefined) return formIssue(formGuid, 'is not in the catalogue of the plan service');
  const addresses = await texts.run(NAMED_VALUE_SETS, { form }, actor);
  if (addresses === undefined) return formIssue(formGuid, 'cannot be read');
  const valueSets: { address: string; text: string }[] = [];
  let bytes = Buffer.byteLength(form);
  for (const address of addresses) {
    const text = await plans.expandValueSet(address);
    if (text === undefined) continue;
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_FORM_BYTES)
      return formIssue(formGuid, `and the ValueSets that it names have more than ${MAX_FORM_BYTES} bytes`);
    valueSets.push({ address, text });
  }
  return texts.run(FROZEN_FORM, { formGuid, form, valueSets }, actor);
}

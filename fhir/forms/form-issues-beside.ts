// The issues of a QuestionnaireResponse of which single answers are no valid FHIR: the other answers are checked
// against the form all the same, so that who answers learns everything at once (decision L8).
import type { Issue } from '#lib/errors.ts';
import { objectsIn } from '../json/members.ts';
import { checkResponse } from './check-response.ts';

type Json = Readonly<Record<string, unknown>>;

/** The path of an answer, before what is wrong within its value. */
const IN_VALUE = /^(QuestionnaireResponse(?:\.(?:item|answer)\[\d+\])*\.answer\[\d+\])\.value(?:[.[]|$)/;

/** An element of the response itself, such as `authored`. */
const BESIDE_ITEMS = /^QuestionnaireResponse\.(?!item\b)/;

/** What may follow from an answer that cannot be read, rather than from the answer that it names. */
const FOLLOWING: ReadonlySet<string | undefined> = new Set(['invariant', 'business-rule']);

/**
 * Returns `invalid`, each with its item before it, and the errors of the other answers by the form. Where more is wrong
 * in an item than values, such as its shape, the form is not asked. Pure; call it in a thread, as `checkResponse`.
 * @param invalid the errors of the validation, at least one; `field` is a FHIRPath expression
 */
export function formIssuesBeside(invalid: readonly Issue[], questionnaire: Json, response: Json): readonly Issue[] {
  const answers = invalid.map(({ field }) => IN_VALUE.exec(field ?? '')?.[1]);
  const isReadable = answers.every((answer, at) => answer !== undefined || BESIDE_ITEMS.test(invalid[at]?.field ?? ''));
  if (!isReadable) return invalid;
  const unread = new Set(answers);
  const others = checkResponse(questionnaire, response).filter(
    ({ field, code, severity }) => severity === 'error' && !unread.has(field) && !FOLLOWING.has(code),
  );
  return [...invalid.map((issue, index) => named(issue, answers[index], response)), ...others];
}

function named(issue: Issue, answer: string | undefined, response: Json): Issue {
  const linkId = answer === undefined ? undefined : linkIdAt(answer, response);
  return linkId === undefined ? issue : { ...issue, message: `Item ${linkId}: ${issue.message}` };
}

/** The `linkId` of the item that has the answer. */
function linkIdAt(answer: string, response: Json): string | undefined {
  const steps = [...answer.matchAll(/\.(item|answer)\[(\d+)\]/g)].slice(0, -1);
  let item: Json | undefined = response;
  for (const [, member = '', index] of steps) item = objectsIn(item?.[member])[Number(index)];
  const linkId = item?.['linkId'];
  return typeof linkId === 'string' ? linkId.slice(0, 100).toWellFormed() : undefined;
}

// The check of a QuestionnaireResponse against its form (docs/adr/0088), in a thread: forms have expressions of their
// authors. Pure.
import { checkResponse } from '#fhir/forms/check-response.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { hasErrors } from '#fhir/validation/validate.ts';
import type { Issue } from '#lib/errors.ts';

/** JSON texts of valid resources. */
export interface AnswerWork {
  readonly kind: 'answers';
  readonly form: string;
  readonly response: string;
}

/** The errors, each at its item. */
export function answerErrors({ form, response }: AnswerWork): readonly Issue[] {
  const [questionnaire, answers] = [parseExactJson(form), parseExactJson(response)];
  if (!isJsonObject(questionnaire) || !isJsonObject(answers)) return [];
  return checkResponse(questionnaire, answers).filter((issue) => hasErrors([issue]));
}

// Validates the fields of a submitted resource by the schemas of the corresponding JSON endpoints. Each error is
// reported at its FHIR element.
import Type, { type TProperties } from 'typebox';
import { createValidatorCompiler, issuesOfValidation } from '#lib/http/validation.ts';
import type { Submission } from './submission.ts';

type Form = Readonly<Record<string, unknown>>;

/** Adds the errors of the fields to the submission; `places` names the element that each field is read from. */
export function createFormCheck<T extends TProperties>(properties: T) {
  const schema = Type.Object(properties, { additionalProperties: false });
  const validate = createValidatorCompiler()({ schema, httpPart: 'body', method: 'POST', url: '/fhir' });
  return (submission: Submission, form: Form, places: Readonly<Record<keyof T & string, string>>): void => {
    if (validate(form) === true) return;
    const errors = (validate as { errors?: Parameters<typeof issuesOfValidation>[0] | null }).errors ?? [];
    for (const { message, field = '', code: issueCode } of issuesOfValidation(errors, undefined)) {
      // `registries[1]` is reported at the element of the registries.
      const name = field.split('[')[0] ?? '';
      submission.issue(Object.hasOwn(places, name) ? (places[name] ?? '') : '', message, issueCode);
    }
  };
}

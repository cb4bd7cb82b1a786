// Checks of a request body that a schema cannot express, such as a common password or a check digit. Their errors are
// reported in one response with those of the schema (decision G2).
import type { FastifyRequest } from 'fastify';
import { type Issue, validationError } from '../errors.ts';
import { issuesOfValidation } from './validation.ts';

/** The fields of a body that may have failed its schema. */
export type BodyFields = Readonly<Record<string, unknown>>;

/** Finds the errors of a body beyond its schema. The request says which record the body is for. */
export type BodyCheck = (fields: BodyFields, request: FastifyRequest) => readonly Issue[] | Promise<readonly Issue[]>;

/**
 * A `preHandler` for routes with `attachValidation: true`. `check` checks every body. Its error of a field is dropped
 * where the schema has found one for that field.
 * @throws ServiceError `validation_error`
 */
export function bodyCheckHook(check: BodyCheck) {
  return async (request: FastifyRequest): Promise<void> => {
    const { body, validationError: failure } = request;
    const errors = (failure?.validation ?? []) as Parameters<typeof issuesOfValidation>[0];
    const issues = issuesOfValidation(errors, failure?.validationContext);
    const hasIssue = (field: string | undefined) => issues.some((issue) => issue.field === field);
    const further = (await check(isFields(body) ? body : {}, request)).filter((issue) => !hasIssue(issue.field));
    if (issues.length + further.length > 0) throw validationError([...issues, ...further]);
  };
}

/** The options of a route whose bodies get this check: `{...checkedBy(check), schema}`. */
export function checkedBy(check: BodyCheck) {
  return { attachValidation: true, preHandler: bodyCheckHook(check) } as const;
}

/**
 * The same for checks that the service repeats in full. The check may query DNS or the database. It runs here only when
 * the schema has found an error, so that all errors are reported together.
 */
export function checkedOnSchemaError(check: BodyCheck) {
  return checkedBy((fields, request) => (request.validationError === undefined ? [] : check(fields, request)));
}

export function isFields(body: unknown): body is BodyFields {
  return typeof body === 'object' && body !== null;
}

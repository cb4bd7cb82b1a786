// Checks of a request body that a schema cannot express, such as a common password or a check digit. Their errors are
// reported in one response with those of the schema (decision G2).
import type { FastifyRequest } from 'fastify';
import { type Issue, validationError } from '../errors.ts';
import { issuesOfValidation } from './validation.ts';

/** The fields of a body that may have failed its schema. */
export type Unjudged = Readonly<Record<string, unknown>>;

/** Finds the errors of a body beyond its schema. The request tells which record the body is for. */
export type Judge = (fields: Unjudged, request: FastifyRequest) => readonly Issue[] | Promise<readonly Issue[]>;

/**
 * A `preHandler` for routes with `attachValidation: true`. `judge` checks every body. Its error of a field is dropped
 * where the schema has found one for that field.
 * @throws ServiceError `validation_error`
 */
export function fitnessHook(judge: Judge) {
  return async (request: FastifyRequest): Promise<void> => {
    const { body, validationError: failure } = request;
    const errors = (failure?.validation ?? []) as Parameters<typeof issuesOfValidation>[0];
    const issues = issuesOfValidation(errors, failure?.validationContext);
    const hasIssue = (field: string | undefined) => issues.some((issue) => issue.field === field);
    const further = (await judge(isFields(body) ? body : {}, request)).filter((issue) => !hasIssue(issue.field));
    if (issues.length + further.length > 0) throw validationError([...issues, ...further]);
  };
}

/** The options of a route whose bodies get this check: `{...judgedBy(judge), schema}`. */
export function judgedBy(judge: Judge) {
  return { attachValidation: true, preHandler: fitnessHook(judge) } as const;
}

/**
 * The same for checks that the service repeats in full. The check, which may query DNS or the database, runs here only
 * when the schema has found an error, so that all errors are reported together.
 */
export function judgedBesides(judge: Judge) {
  return judgedBy((fields, request) => (request.validationError === undefined ? [] : judge(fields, request)));
}

export function isFields(body: unknown): body is Unjudged {
  return typeof body === 'object' && body !== null;
}

// Errors that no schema can tell (a common password, a check digit), named in one answer with those of the schema
// (decision G2).
import type { FastifyRequest } from 'fastify';
import { type Issue, validationError } from '../errors.ts';
import { issuesOfValidation } from './validation.ts';

/** The fields of a body that may not have passed its schema. */
export type Unjudged = Readonly<Record<string, unknown>>;

/** What is wrong with a body beyond its schema; the request tells which thing it is for. */
export type Judge = (fields: Unjudged, request: FastifyRequest) => readonly Issue[] | Promise<readonly Issue[]>;

/**
 * A `preHandler` for routes with `attachValidation: true`. `judge` is asked about every body; what it says of a field
 * counts when the schema has nothing against that field. @throws ServiceError `validation_error`
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

/** The options of a route whose bodies are judged so: `{...judgedBy(judge), schema}`. */
export function judgedBy(judge: Judge) {
  return { attachValidation: true, preHandler: fitnessHook(judge) } as const;
}

/**
 * The same for what the service judges itself, in full: the judge, who may ask a name server or the database, is asked
 * only when the schema has found something, to name what is wrong together with that.
 */
export function judgedBesides(judge: Judge) {
  return judgedBy((fields, request) => (request.validationError === undefined ? [] : judge(fields, request)));
}

export function isFields(body: unknown): body is Unjudged {
  return typeof body === 'object' && body !== null;
}

// Faults that no schema can tell (a common password, a check digit), named in one answer with those of the schema (decision G2).
import type { FastifyRequest } from 'fastify';
import { type Fault, validationError } from '../errors.ts';
import { faultsOfValidation } from './validation.ts';

/** The fields of a body that may not have passed its schema. */
export type Unjudged = Readonly<Record<string, unknown>>;

/**
 * A `preHandler` for routes with `attachValidation: true`. `judge` is asked about every body; what it says of a field counts when the
 * schema has nothing against that field. @throws ServiceError `validation_error`
 */
export function fitnessHook(judge: (fields: Unjudged) => readonly Fault[] | Promise<readonly Fault[]>) {
  return async ({ body, validationError: failure }: FastifyRequest): Promise<void> => {
    const errors = (failure?.validation ?? []) as Parameters<typeof faultsOfValidation>[0];
    const faults = faultsOfValidation(errors, failure?.validationContext);
    const isFaulty = (field: string | undefined) => faults.some((fault) => fault.field === field);
    const further = (await judge(isFields(body) ? body : {})).filter((fault) => !isFaulty(fault.field));
    if (faults.length + further.length > 0) throw validationError([...faults, ...further]);
  };
}

function isFields(body: unknown): body is Unjudged {
  return typeof body === 'object' && body !== null;
}

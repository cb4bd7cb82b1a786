// The types of an interaction over several types: those that the caller may access, narrowed by `_type`.
import { validationError } from '#lib/errors.ts';
import { hasRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import type { Interaction } from '../options.ts';
import type { FhirCall } from './call.ts';

/** The types that `_type` names; empty when it is left out. */
export function requestedTypes(query: URLSearchParams): string[] {
  return query.getAll('_type').flatMap((value) => value.split(','));
}

/** @throws ServiceError `validation_error` naming each type of `_type` that is none */
export function readTypes({ principal, query }: FhirCall, interaction: Interaction, context: RouteContext): string[] {
  const { types } = context.options;
  const wanted = requestedTypes(query);
  const unknown = wanted.filter((name) => !types.some(({ type }) => type === name));
  if (unknown.length > 0) {
    throw validationError(
      unknown.map((name) => ({
        message: `_type names no type that is served here: ${name}`,
        field: '_type',
        code: 'value',
      })),
    );
  }
  return types
    .filter(
      ({ type, interactions }) => interactions.includes(interaction) && (wanted.length === 0 || wanted.includes(type)),
    )
    .filter((type) => hasRight(principal, { type, interaction }, context))
    .map(({ type }) => type);
}

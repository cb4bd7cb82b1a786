// Extracts the `securityContext` of a Binary, which decides who may read it
// (hl7.org/fhir/R5/binary.html#security-context). Only access rules read its index row.
import { parseReference } from '../../resources/references.ts';
import { nameKey } from './keys.ts';

type Json = Readonly<Record<string, unknown>>;

/** The key of the row. */
export const CONTEXT_KEY = nameKey('Binary.$context');

/** The security context's resource on this server; undefined when there is none, or it is on another server. */
export function securityContextOf(
  resource: Json,
  baseUrl: string | undefined,
): { readonly type: string; readonly id: string } | undefined {
  const context = resource['securityContext'];
  if (resource['resourceType'] !== 'Binary' || typeof context !== 'object' || context === null) return undefined;
  const reference: unknown = 'reference' in context ? context.reference : undefined;
  const parsed = typeof reference === 'string' ? parseReference(reference, baseUrl) : undefined;
  return parsed?.kind === 'relative' ? { type: parsed.type, id: parsed.id } : undefined;
}

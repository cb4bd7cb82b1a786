// Reads a stored terminology definition; a code system with its columns, from its text or from the database
// (docs/adr/0019).

import type { Json } from '#fhir/terminology/json.ts';
import { buildInThread } from '#fhir/terminology/model/build.ts';
import type { Columns } from '#fhir/terminology/model/code-system-model.ts';
import type { Queryable } from '#lib/db/database.ts';
import { parseInSlices } from '#lib/jobs/sliced-json.ts';
import { readColumnsOf } from '../definitions/code-system-columns.ts';

/**
 * UTF-16 units. Reading the concepts of a code system of this length takes a few milliseconds; longer ones are read in
 * a thread of their own.
 */
const LONG_TEXT = 64 * 1024;
const IS_CODE_SYSTEM = /"resourceType"\s*:\s*"CodeSystem"/;

export interface ReadDefinition {
  readonly resource: Json;
  /** Undefined for what is no code system, and for a short one, whose concepts are in the resource. */
  readonly columns: Columns | undefined;
}

/** @param content the resource as JSON */
export async function readDefinition(db: Queryable, content: string): Promise<ReadDefinition> {
  if (content.length > LONG_TEXT && IS_CODE_SYSTEM.test(content)) {
    const { head, columns } = await buildInThread(content);
    return { resource: head, columns };
  }
  const resource = (await parseInSlices(content)) as Json;
  return { resource, columns: await readColumnsOf(db, resource) };
}

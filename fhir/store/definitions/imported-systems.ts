// Lists the code systems that were imported from files, and finds the stored definitions that name one of them.

import { nameKey } from '#fhir/search/extract/keys.ts';
import { splitCanonical } from '#fhir/terminology/catalog/catalog.ts';
import { type Json, objects, text } from '#fhir/terminology/json.ts';
import type { ColumnsHead } from '#fhir/terminology/model/code-system-model.ts';
import type { PackedHead } from '#fhir/terminology/model/columns/columns.ts';
import { EXTENSION_PROPERTY } from '#fhir/terminology/model/extensions.ts';
import type { Queryable } from '#lib/db/database.ts';
import { timeOfGuid } from '#lib/guid.ts';
import { columnsGuidOf } from './code-system-columns.ts';

export interface ImportedSystem {
  /** Of the CodeSystem resource. */
  readonly id: string;
  /** The version of the resource. */
  readonly resourceVersion: number;
  readonly url: string;
  readonly version: string | undefined;
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly status: string | undefined;
  /** As of the file: `supplement`, or what an imported system is stored as. */
  readonly content: string | undefined;
  readonly copyright: string | undefined;
  /** The value set of all its codes, if it names one. */
  readonly valueSet: string | undefined;
  readonly concepts: number;
  /** The stored columns in bytes. */
  readonly bytes: number;
  readonly importedAt: Date;
  /** The names of the properties that concepts have. */
  readonly properties: readonly string[];
  /** The languages of designations. */
  readonly languages: readonly string[];
}

const BYTES_OF_INT = 4;

/** All imported code systems, by URL and import. */
export async function listImportedSystems(db: Queryable): Promise<ImportedSystem[]> {
  const { rows } = await db.query<Row>(
    `SELECT c.columns_guid, c.head, r.version, r.content FROM fhir_code_system c
       JOIN fhir_resource r ON r.type = $1 AND r.rid = c.rid AND NOT r.deleted
         AND strpos(r.content, c.columns_guid::text) > 0`,
    [nameKey('CodeSystem')],
  );
  return rows.flatMap(systemOf).sort(byUrlAndImport);
}

interface Row {
  readonly columns_guid: string;
  readonly head: string;
  readonly version: number;
  readonly content: string;
}

function byUrlAndImport(a: ImportedSystem, b: ImportedSystem): number {
  if (a.url !== b.url) return a.url < b.url ? -1 : 1;
  return a.importedAt.getTime() - b.importedAt.getTime();
}

function systemOf({ columns_guid: guid, head, version, content }: Row): ImportedSystem[] {
  const resource = JSON.parse(content) as Json;
  // The guid of other columns may be elsewhere in the text.
  return columnsGuidOf(resource) === guid ? [described(guid, resource, version, JSON.parse(head))] : [];
}

function described(
  guid: string,
  resource: Json,
  resourceVersion: number,
  packed: PackedHead<ColumnsHead>,
): ImportedSystem {
  const { propertyNames, designationKindList } = packed.head;
  const languages = new Set(designationKindList.flatMap(({ language }) => language ?? []));
  return {
    id: String(resource['id']),
    resourceVersion,
    url: String(resource['url']),
    version: text(resource['version']),
    name: text(resource['name']),
    title: text(resource['title']),
    status: text(resource['status']),
    content: text(resource['content']),
    copyright: text(resource['copyright']),
    valueSet: text(resource['valueSet']),
    concepts: packed.lengths.codes / BYTES_OF_INT,
    bytes: Object.values(packed.lengths).reduce((sum, length) => sum + length, 0),
    importedAt: new Date(timeOfGuid(guid)),
    properties: propertyNames.filter((name) => name !== EXTENSION_PROPERTY),
    languages: [...languages].sort(),
  };
}

/** Types of definitions that name code systems or the value sets of all their codes. */
const USING_TYPES = [
  'CodeSystem',
  'ValueSet',
  'ConceptMap',
  'StructureDefinition',
  'Questionnaire',
  'ActivityDefinition',
  'PlanDefinition',
  'ObservationDefinition',
  'SpecimenDefinition',
  'ChargeItemDefinition',
  'OperationDefinition',
  'Measure',
] as const;

/**
 * The addresses of the stored definitions that name the code system, or the value set of all its codes. A definition
 * that names another version is none. One is read at a time, as they may be long.
 */
export async function findUses(db: Queryable, system: ImportedSystem): Promise<string[]> {
  const names = [system.url, ...(system.valueSet === undefined ? [] : [splitCanonical(system.valueSet).url])];
  const byKey = new Map(USING_TYPES.map((type) => [nameKey(type), type]));
  const { rows } = await db.query<{ type: number; rid: string }>(
    `SELECT type, rid FROM fhir_resource WHERE type = ANY($1) AND NOT deleted
       AND EXISTS (SELECT FROM unnest($2::text[]) AS name WHERE strpos(content, name) > 0) ORDER BY type, rid`,
    [[...byKey.keys()], names],
  );
  const found: string[] = [];
  for (const { type, rid } of rows) {
    const read = await db.query<{ content: string }>(
      'SELECT content FROM fhir_resource WHERE type = $1 AND rid = $2 AND NOT deleted',
      [type, rid],
    );
    const resource = read.rows[0] === undefined ? undefined : (JSON.parse(read.rows[0].content) as Json);
    if (resource === undefined || (type === nameKey('CodeSystem') && resource['id'] === system.id)) continue;
    const isOther = type === nameKey('CodeSystem') && resource['url'] === system.url;
    if (!isOther && namesSystem(resource, names, system.version)) found.push(`${byKey.get(type)}/${resource['id']}`);
  }
  return found.sort();
}

/** The members by which a resource names itself. */
const OWN_MEMBERS = new Set(['url', 'text', 'meta']);

/** Whether one of the names is a value anywhere in the resource; not one of another version. */
function namesSystem(resource: Json, names: readonly string[], version: string | undefined): boolean {
  const own = Object.entries(resource).flatMap(([member, value]) => (OWN_MEMBERS.has(member) ? [] : [value]));
  const open: unknown[] = [own];
  while (open.length > 0) {
    const at = open.pop();
    if (typeof at === 'string') {
      const canonical = splitCanonical(at);
      if (names.includes(canonical.url) && isVersion(canonical.version, version)) return true;
    } else if (Array.isArray(at)) {
      for (const each of at) open.push(each);
    } else {
      const [object] = objects(at);
      // A Coding or an include names the version beside the system.
      const isElsewhere = object !== undefined && !isVersion(text(object['version']), version);
      for (const [member, value] of Object.entries(object ?? {})) {
        if (!(isElsewhere && member === 'system')) open.push(value);
      }
    }
  }
  return false;
}

function isVersion(named: string | undefined, version: string | undefined): boolean {
  return named === undefined || version === undefined || named === version;
}

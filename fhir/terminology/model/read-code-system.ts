// Reads a CodeSystem resource into columns (hl7.org/fhir/R5/codesystem.html).
import { type Json, objects, text } from '../json.ts';
import { CodeSystemBuilder } from './builder.ts';
import {
  type CodeSystemContent,
  type CodeSystemMeta,
  CodeSystemModel,
  type Coding,
  type Columns,
  type Designation,
  PROPERTY_KINDS,
  type Property,
} from './code-system-model.ts';
import type { ConceptInput } from './concept-writer.ts';
import { EXTENSION_PROPERTY, extensionsOf, standardsStatusOf } from './extensions.ts';

const CONTENTS: readonly CodeSystemContent[] = ['not-present', 'example', 'fragment', 'complete', 'supplement'];

/** The model of a CodeSystem; undefined for one without a URL, which no canonical can name. */
export function readCodeSystem(resource: Json): CodeSystemModel | undefined {
  const columns = readColumns(resource);
  return columns === undefined ? undefined : new CodeSystemModel(columns);
}

/** The same as columns; `withWords` as the builder's. */
export function readColumns(resource: Json, withWords = false): Columns | undefined {
  const meta = readCodeSystemMeta(resource);
  if (meta === undefined) return undefined;
  const builder = new CodeSystemBuilder(meta);
  addAll(builder, objects(resource['concept']));
  return builder.finish(withWords);
}

export function readCodeSystemMeta(resource: Json): CodeSystemMeta | undefined {
  const url = text(resource['url']);
  if (url === undefined) return undefined;
  return {
    url,
    version: text(resource['version']),
    name: text(resource['name']),
    title: text(resource['title']),
    status: text(resource['status']),
    standardsStatus: standardsStatusOf(resource),
    isExperimental: resource['experimental'] === true,
    language: text(resource['language']),
    content: CONTENTS.find((each) => each === resource['content']) ?? 'not-present',
    // R5 has no default for `caseSensitive`: a system without it is read as case-sensitive.
    isCaseSensitive: resource['caseSensitive'] !== false,
    ...(resource['versionNeeded'] === true ? { isVersionNeeded: true } : {}),
    hierarchyMeaning: text(resource['hierarchyMeaning']),
    valueSet: text(resource['valueSet']),
    supplements: text(resource['supplements']),
    properties: objects(resource['property']).flatMap(({ code, uri, description, type }) => {
      const name = text(code);
      return name === undefined
        ? []
        : [{ code: name, uri: text(uri), description: text(description), type: text(type) }];
    }),
  };
}

/** The lists are walked without recursion, as JSON may nest them to any depth. */
function addAll(builder: CodeSystemBuilder, concepts: readonly Json[]): void {
  const open = [{ list: concepts, next: 0, parent: -1 }];
  for (let level = open[open.length - 1]; level !== undefined; level = open[open.length - 1]) {
    const concept = level.list[level.next];
    if (concept === undefined) {
      open.pop();
      continue;
    }
    level.next += 1;
    const input = readConcept(concept);
    if (input === undefined) continue;
    const place = builder.add(input, level.parent);
    const below = objects(concept['concept']);
    if (below.length > 0) open.push({ list: below, next: 0, parent: place });
  }
}

/** One concept without its nested ones; undefined without a code. */
export function readConcept(concept: Json): ConceptInput | undefined {
  const code = text(concept['code']);
  if (code === undefined) return undefined;
  return {
    code,
    display: text(concept['display']),
    definition: text(concept['definition']),
    designations: objects(concept['designation']).flatMap(readDesignation),
    properties: [...objects(concept['property']).flatMap(readProperty), ...extensionsOf(concept).map(asProperty)],
  };
}

function asProperty(extension: Json): Property {
  return { code: EXTENSION_PROPERTY, kind: 'string', value: JSON.stringify(extension) };
}

export function readDesignation(designation: Json): Designation[] {
  const value = text(designation['value']);
  const [use] = objects(designation['use']);
  if (value === undefined) return [];
  const language = text(designation['language']);
  const extensions = extensionsOf(designation);
  const more = extensions.length === 0 ? {} : { extensions };
  return [{ value, language, use: use === undefined ? undefined : readCoding(use), ...more }];
}

export function readCoding({ system, version, code, display }: Json): Coding {
  const coding = { system: text(system), version: text(version), code: text(code), display: text(display) };
  return Object.fromEntries(Object.entries(coding).filter(([, value]) => value !== undefined));
}

function readProperty(property: Json): Property[] {
  const code = text(property['code']);
  const kind = PROPERTY_KINDS.find((each) => property[memberOf(each)] !== undefined);
  if (code === undefined || kind === undefined) return [];
  const value = property[memberOf(kind)];
  return [{ code, kind, value: typeof value === 'object' ? JSON.stringify(value) : String(value) }];
}

function memberOf(kind: string): string {
  return `value${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

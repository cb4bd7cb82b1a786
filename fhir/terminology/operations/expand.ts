// $expand: the codes of a value set (hl7.org/fhir/R5/valueset-operation-expand.html).
import { randomUUID } from 'node:crypto';
import { type Catalog, fitsVersion, splitCanonical } from '../catalog/catalog.ts';
import { grammarOf } from '../content/code-grammars.ts';
import { type Content, type LoosePart, type Part, sizeOfContent } from '../content/content.ts';
import type { Evaluated } from '../content/evaluate.ts';
import { unknownSystem } from '../content/include.ts';
import { activePart, choosablePart } from '../content/marked-parts.ts';
import { filterByText } from '../content/text-filter.ts';
import { type Json, text } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  languagesOf,
  type OperationTarget,
  requireNow,
  requireValueSet,
  type TerminologyBase,
} from './context.ts';
import { type ContainsOptions, containsOf } from './expansion-contains.ts';
import { type Expansion, expansionJson, isPlainContent } from './expansion-json.ts';
import { echoOf, usedOf } from './expansion-parameters.ts';
import type { Inputs } from './inputs.ts';

/** The most codes in one response. */
const MAX_CODES = 10_000;

/** Members of the value set that the response leaves out, and those of its definition, which may be requested. */
const LEFT_OUT = new Set(['expansion', 'text', 'contained']);
const OF_DEFINITION = new Set(['compose', 'description', 'purpose', 'extension']);

/** @throws TerminologyError `required`, `not-found`, `too-costly`, `not-supported`, `invalid` */
export function expand(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Json {
  return asResource(expansionOf(base, inputs, target));
}

/** The same as JSON text in UTF-8, valid until the next one. */
export function expandAsJson(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Buffer {
  const expansion = expansionOf(base, inputs, target);
  const { content, options } = expansion;
  return isPlainContent(content, options)
    ? expansionJson(expansion)
    : Buffer.from(JSON.stringify(asResource(expansion)));
}

function asResource({ members, head, content, options }: Expansion): Json {
  const { property, contains } = containsOf(content, options);
  return {
    ...members,
    expansion: {
      ...head,
      ...(property.length === 0 ? {} : { property }),
      ...(contains.length === 0 ? {} : { contains }),
    },
  };
}

function expansionOf(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Expansion {
  const context = contextOf(base, inputs, target);
  const valueSet = requireValueSet(context, inputs, target);
  requireNow(inputs, base);
  const evaluated = context.evaluate(valueSet, context.rules);
  const content = narrowed(evaluated.content, inputs, context.catalog);
  const total = sizeOfContent(content);
  const page = pageOf(inputs, total);
  const languages = languagesOf(context, valueSet);
  const versioned = systemsOfSeveralVersions(evaluated);
  const options = containsOptions(inputs, page, { languages, versioned });
  const parameter = [...echoOf(inputs, languages), ...usedOf(valueSet, evaluated, context)];
  return {
    members: membersOf(valueSet, inputs.boolean('includeDefinition') === true),
    head: {
      identifier: `urn:uuid:${randomUUID()}`,
      timestamp: new Date(base.clock.now()).toISOString(),
      total,
      ...(page.offset === undefined ? {} : { offset: page.offset }),
      // FHIR has no empty lists.
      ...(parameter.length === 0 ? {} : { parameter }),
    },
    content,
    options,
  };
}

/** By value set: the members of its expansions. */
const briefMembers = new WeakMap<Json, Json>();

function membersOf(valueSet: Json, includesDefinition: boolean): Json {
  const known = includesDefinition ? undefined : briefMembers.get(valueSet);
  if (known !== undefined) return known;
  const members = Object.entries(valueSet).filter(
    ([name]) => !LEFT_OUT.has(name) && (includesDefinition || !OF_DEFINITION.has(name)),
  );
  const found = { ...Object.fromEntries(members), status: text(valueSet['status']) ?? 'unknown' };
  if (!includesDefinition) briefMembers.set(valueSet, found);
  return found;
}

/**
 * The content without the codes that the request excludes.
 * @throws TerminologyError `not-found`, `too-costly` for codes that cannot be listed
 */
function narrowed(content: Content, inputs: Inputs, catalog: Catalog): Content {
  const excluded = inputs.fewTexts('exclude-system');
  let found: Content = excluded.length === 0 ? content : content.filter((part) => !isExcluded(part, excluded));
  for (const part of found) if (part.kind === 'loose' && part.isAllBut) throw unlisted(part, catalog);
  if (inputs.boolean('activeOnly') === true) found = found.map(activePart);
  if (inputs.boolean('excludeNotForUI') === true) found = found.map(choosablePart);
  const filter = inputs.shortText('filter');
  return filter === undefined ? found : filterByText(found, filter);
}

/** The error for a system whose codes cannot be listed: defined by a grammar, infinite, or unknown. */
function unlisted({ system, version }: LoosePart, catalog: Catalog): TerminologyError {
  const grammar = grammarOf(system);
  if (grammar !== undefined) {
    const message = `the codes of ${grammar.name} (${system}) are without end, so the value set cannot be expanded`;
    return new TerminologyError('too-costly', message);
  }
  return unknownSystem(catalog, system, version);
}

const NO_SYSTEMS: ReadonlySet<string> = new Set();

/** Code systems of which several versions were used. */
function systemsOfSeveralVersions({ views }: Evaluated): ReadonlySet<string> {
  if (views.size < 2) return NO_SYSTEMS;
  const models = [...new Set([...views].map(({ model }) => model))];
  const urls = models.map(({ meta }) => meta.url);
  return new Set(urls.filter((url, at) => urls.indexOf(url) !== at));
}

function isExcluded(part: Part, canonicals: readonly string[]): boolean {
  const version = part.kind === 'known' ? part.view.model.meta.version : part.version;
  return canonicals.map(splitCanonical).some((left) => {
    if (left.url !== part.system) return false;
    return left.version === undefined || (version !== undefined && fitsVersion(version, left.version));
  });
}

interface Page {
  readonly offset: number | undefined;
  readonly count: number | undefined;
}

/** @throws TerminologyError `too-costly` for more codes than a response may have */
function pageOf(inputs: Inputs, total: number): Page {
  const count = inputs.count('count');
  const offset = inputs.count('offset') ?? (count === undefined ? undefined : 0);
  const left = Math.max(0, total - (offset ?? 0));
  if (Math.min(left, count ?? left) > MAX_CODES) {
    const message = `the value set has ${total} codes, and no more than ${MAX_CODES} are answered at once: ask with count and offset, or with a filter`;
    throw new TerminologyError('too-costly', message);
  }
  return { offset, count };
}

type Shown = Pick<ContainsOptions, 'languages' | 'versioned'>;

function containsOptions(inputs: Inputs, { offset, count }: Page, shown: Shown): ContainsOptions {
  const designations = inputs.fewTexts('designation');
  const isWhole = offset === undefined && count === undefined;
  return {
    ...shown,
    offset: offset ?? 0,
    count: count ?? Number.POSITIVE_INFINITY,
    isNested: isWhole && inputs.boolean('excludeNested') !== true,
    isFiltered: inputs.text('filter') !== undefined,
    hasDesignations: inputs.boolean('includeDesignations') ?? designations.length > 0,
    designations,
    properties: inputs.fewTexts('property'),
  };
}

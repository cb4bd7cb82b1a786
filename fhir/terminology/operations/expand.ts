// $expand: the codes of a value set (hl7.org/fhir/R5/valueset-operation-expand.html).
import { randomUUID } from 'node:crypto';
import { fitsVersion, joinCanonical, splitCanonical } from '../catalog/catalog.ts';
import { grammarOf } from '../content/code-grammars.ts';
import { type Content, type LoosePart, type Part, sizeOfContent } from '../content/content.ts';
import { activePart, choosablePart } from '../content/evaluate.ts';
import { filterByText } from '../content/text-filter.ts';
import { type Json, text } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireValueSet,
  type TerminologyBase,
} from './context.ts';
import { type ContainsOptions, containsOf, propertyList } from './expansion-contains.ts';
import { echoOf, usedOf } from './expansion-parameters.ts';
import type { Inputs } from './inputs.ts';

/** The most codes in one response. */
const MAX_CODES = 10_000;

/** Members of the value set that the response leaves out: its definition (unless requested), and its own expansion. */
const LEFT_OUT = new Set(['compose', 'expansion', 'text', 'contained']);

/** @throws TerminologyError `required`, `not-found`, `too-costly`, `not-supported`, `invalid` */
export function expand(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Json {
  const context = contextOf(base, inputs, target);
  const valueSet = requireValueSet(context, inputs, target);
  requireSupplements(context, inputs);
  requireNow(inputs, base.clock.now());
  const evaluated = context.evaluate(valueSet, context.rules);
  const content = narrowed(evaluated.content, inputs);
  const total = sizeOfContent(content);
  const page = pageOf(inputs, total);
  const options = containsOptions(context, inputs, page);
  const includesDefinition = inputs.boolean('includeDefinition') === true;
  const members = Object.entries(valueSet).filter(
    ([name]) => !LEFT_OUT.has(name) || (name === 'compose' && includesDefinition),
  );
  return {
    ...Object.fromEntries(members),
    status: text(valueSet['status']) ?? 'active',
    expansion: {
      identifier: `urn:uuid:${randomUUID()}`,
      timestamp: new Date(base.clock.now()).toISOString(),
      total,
      ...(page.offset === undefined ? {} : { offset: page.offset }),
      parameter: [...echoOf(inputs, context), ...usedOf(valueSet, evaluated, context)],
      ...propertyList(content, options),
      contains: containsOf(content, options),
    },
  };
}

/**
 * The content without the codes that the request excludes.
 * @throws TerminologyError `not-found`, `too-costly` for codes that cannot be listed
 */
function narrowed(content: Content, inputs: Inputs): Content {
  let found: Content = content.filter((part) => !isExcluded(part, inputs.texts('exclude-system')));
  for (const part of found) if (part.kind === 'loose' && part.isAllBut) throw unlisted(part);
  if (inputs.boolean('activeOnly') === true) found = found.map(activePart);
  if (inputs.boolean('excludeNotForUI') === true) found = found.map(choosablePart);
  const filter = inputs.text('filter');
  return filter === undefined ? found : filterByText(found, filter);
}

/** The error for a system whose codes cannot be listed: defined by a grammar, infinite, or unknown. */
function unlisted({ system, version }: LoosePart): TerminologyError {
  const grammar = grammarOf(system);
  if (grammar !== undefined) {
    const message = `the codes of ${grammar.name} (${system}) are without end, so the value set cannot be expanded`;
    return new TerminologyError('too-costly', message);
  }
  const canonical = joinCanonical({ url: system, version });
  const message = `the codes of ${canonical} are not known here, so the value set cannot be expanded`;
  return new TerminologyError('not-found', message, 'not-found');
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

function containsOptions(context: OperationContext, inputs: Inputs, { offset, count }: Page): ContainsOptions {
  const isWhole = offset === undefined && count === undefined && inputs.text('filter') === undefined;
  const designations = inputs.texts('designation');
  return {
    languages: context.languages,
    offset: offset ?? 0,
    count: count ?? Number.POSITIVE_INFINITY,
    isNested: isWhole && inputs.boolean('excludeNested') !== true,
    hasDesignations: inputs.boolean('includeDesignations') ?? designations.length > 0,
    designations,
    properties: inputs.texts('property'),
  };
}

/** @throws TerminologyError `not-found` for an unknown supplement */
function requireSupplements(context: OperationContext, inputs: Inputs): void {
  for (const canonical of inputs.texts('useSupplement')) {
    const { url, version } = splitCanonical(canonical);
    const isThere = context.catalog
      .list('CodeSystem')
      .some(
        (each) =>
          each.url === url && each.supplements !== undefined && (version === undefined || each.version === version),
      );
    if (!isThere) throw new TerminologyError('not-found', `the supplement ${canonical} is not known here`, 'not-found');
  }
}

/**
 * Refuses a past date: only the current definitions are stored.
 * @throws TerminologyError `not-supported` for a past day
 */
function requireNow(inputs: Inputs, now: number): void {
  const given = inputs.text('date');
  if (given === undefined) return;
  if (!/^\d{4}-\d{2}-\d{2}(?:T.*)?$/.test(given) || Number.isNaN(Date.parse(given))) {
    inputs.issue('date', 'date must be a date or dateTime: 2026-01-31');
  } else if (given.slice(0, 10) < new Date(now).toISOString().slice(0, 10)) {
    throw new TerminologyError('not-supported', `value sets are known as they are now, not as they were on ${given}`);
  }
}

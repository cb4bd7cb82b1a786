// $translate: translates a code by concept maps, forward or in reverse
// (hl7.org/fhir/R5/conceptmap-operation-translate.html).
import { type Canonical, joinCanonical, pickVersion, splitCanonical } from '../catalog/catalog.ts';
import type { Content } from '../content/content.ts';
import { findValueSet } from '../content/evaluate.ts';
import { designationsOf, viewOf } from '../content/system-view.ts';
import { UnfinishedWork } from '../content/unfinished.ts';
import type { Json } from '../json.ts';
import { isInContent, MAX_MATCHES, tooMany } from '../mapping/codings.ts';
import { type AttributeValue, type ConceptMapModel, conceptMapModel } from '../mapping/concept-map-model.ts';
import { translateForward } from '../mapping/forward.ts';
import { historicalMap } from '../mapping/historical-map.ts';
import type { MappingContext, Match } from '../mapping/mapping-context.ts';
import { translateReverse } from '../mapping/reverse.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  type TerminologyBase,
} from './context.ts';
import type { Inputs } from './inputs.ts';
import { nameIn } from './languages.ts';
import { type Parameters, parameter, parametersOf, partsOf } from './parameters.ts';
import { readTranslation, type TranslationInputs } from './translate-inputs.ts';

/** @throws TerminologyError `required`, `not-found`, `too-costly`, `invalid` */
export function translate(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Parameters {
  const context = contextOf(base, inputs, target);
  const requested = readTranslation(inputs);
  const maps = requestedMaps(context, inputs, target);
  const scopes = {
    source: scopeContent(context, inputs.text('sourceScope')),
    target: scopeContent(context, inputs.text('targetScope')),
  };
  const mapping = mappingContext(context, requested);
  const [given, wanted] = requested.isReverse ? [scopes.target, scopes.source] : [scopes.source, scopes.target];
  const codings = requested.codings.filter((coding) => given === undefined || isInContent(given, coding));
  const found = codings.flatMap((coding) =>
    maps.flatMap(
      (map) =>
        (requested.isReverse ? translateReverse(map, coding, mapping) : translateForward(map, coding, mapping)) ?? [],
    ),
  );
  const matches = found.filter(({ concept }) => wanted === undefined || isInContent(wanted, concept));
  if (matches.length > MAX_MATCHES) throw tooMany();
  return matchParameters(matches, { requested, context, isOutOfScope: codings.length === 0 });
}

/**
 * The requested concept map; without one, the latest version of each that is not retired.
 * @throws TerminologyError `not-found`
 */
function requestedMaps(context: OperationContext, inputs: Inputs, { id }: OperationTarget): ConceptMapModel[] {
  if (id !== undefined) return [conceptMapModel(requireById(context, 'ConceptMap', id).resource())];
  if (inputs.holdsResource('conceptMap')) {
    const sent = inputs.resource('conceptMap', 'ConceptMap');
    return sent === undefined ? [] : [conceptMapModel(sent)];
  }
  const given = inputs.text('url') ?? inputs.text('conceptMap');
  if (given === undefined) return allMaps(context);
  const { url, version = inputs.text('conceptMapVersion') } = splitCanonical(given);
  const found = mapOf(context, { url, version });
  if (found !== undefined) return [found];
  throw new TerminologyError(
    'not-found',
    `the concept map ${joinCanonical({ url, version })} is not known here`,
    'not-found',
  );
}

function mapOf({ catalog }: OperationContext, { url, version }: Canonical): ConceptMapModel | undefined {
  const found = pickVersion(catalog.conceptMaps(url), version);
  return found === undefined ? historicalMap(catalog, url, version) : conceptMapModel(found.resource());
}

function allMaps(context: OperationContext): ConceptMapModel[] {
  const current = context.catalog.allConceptMaps().filter(({ status }) => status !== 'retired');
  const urls = new Set(current.map(({ url }) => url));
  return [...urls].flatMap((url) => mapOf(context, { url, version: undefined }) ?? []);
}

/** @throws TerminologyError for a value set that is unknown or cannot be computed */
function scopeContent(context: OperationContext, canonical: string | undefined): Content | undefined {
  if (canonical === undefined) return undefined;
  return context.evaluate(findValueSet(context.catalog, canonical, context.rules).resource(), context.rules).content;
}

function mappingContext(context: OperationContext, { dependencies, system }: TranslationInputs): MappingContext {
  const known = new Map<string, Content | undefined>();
  const read = (canonical: string): Content | undefined => {
    try {
      return scopeContent(context, canonical);
    } catch (error) {
      if (error instanceof TerminologyError && !(error instanceof UnfinishedWork)) return undefined;
      throw error;
    }
  };
  return {
    codesOf: (canonical) => {
      if (!known.has(canonical)) known.set(canonical, read(canonical));
      return known.get(canonical);
    },
    mapOf: (canonical) => mapOf(context, splitCanonical(canonical)),
    dependencies,
    system,
  };
}

interface TranslationContext {
  readonly requested: TranslationInputs;
  readonly context: OperationContext;
  readonly isOutOfScope: boolean;
}

const NOT_RELATED = 'not-related-to';

function matchParameters(
  matches: readonly Match[],
  { requested, context, isOutOfScope }: TranslationContext,
): Parameters {
  const parts = new Map(matches.map((match) => matchPart(match, context)).map((part) => [JSON.stringify(part), part]));
  const related = matches.filter(({ relationship }) => relationship !== NOT_RELATED);
  return parametersOf(
    parameter('result', 'Boolean', related.length > 0),
    parameter('message', 'String', messageOf(matches, related, { requested, isOutOfScope })),
    ...parts.values(),
  );
}

function messageOf(
  matches: readonly Match[],
  related: readonly Match[],
  { requested, isOutOfScope }: Pick<TranslationContext, 'requested' | 'isOutOfScope'>,
): string | undefined {
  const names = requested.codings
    .map(({ system, version, code }) => `${joinCanonical({ url: system ?? '', version })}#${code}`)
    .join(', ');
  if (isOutOfScope) return `${names} is not in the value set of the ${requested.isReverse ? 'target' : 'source'} scope`;
  if (matches.length === 0) return `There is no mapping ${requested.isReverse ? 'to' : 'of'} ${names} here`;
  if (related.length === 0) return `${names} is not related to any of the matches`;
  const open = new Set(
    matches
      .filter(({ isConditional }) => isConditional)
      .flatMap(({ target }) => target.dependsOn.map(({ attribute }) => attribute)),
  );
  if (open.size === 0) return undefined;
  return `The matches hold only if their dependencies are met; give these attributes as dependency: ${[...open].join(', ')}`;
}

function matchPart({ concept, relationship, target, originMap }: Match, context: OperationContext): Json {
  return partsOf(
    'match',
    parameter('relationship', 'Code', relationship),
    parameter('concept', 'Coding', shown(concept, context)),
    ...target.properties.map(({ uri, value }) =>
      partsOf('property', parameter('uri', 'Uri', uri), { name: 'value', ...value }),
    ),
    ...target.products.map((each) => attributePart('product', each)),
    ...target.dependsOn.map((each) => attributePart('dependsOn', each)),
    parameter('originMap', 'Uri', originMap),
  );
}

function attributePart(name: string, { attribute, value, valueSet }: AttributeValue): Json {
  return partsOf(
    name,
    parameter('attribute', 'Uri', attribute),
    value === undefined ? parameter('value', 'Canonical', valueSet) : { name: 'value', ...value },
  );
}

/** The coding with the code system's display in the requested language; the map's own display is for its editors. */
function shown({ system, version, code, display }: Coding, context: OperationContext): Coding {
  const view = viewOf(context.catalog, system ?? '', version);
  const place = view?.model.find(code ?? '') ?? -1;
  const name =
    view === undefined || place === -1
      ? display
      : (nameIn(context.languages, {
          display: view.model.display(place),
          language: view.model.meta.language,
          designations: designationsOf(view, place),
        }) ?? display);
  return Object.fromEntries(
    Object.entries({ system, version, code, display: name }).filter(([, value]) => value !== undefined),
  );
}

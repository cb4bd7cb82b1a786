// The context of a terminology operation: the catalog with the request's own definitions over it, the version rules and
// the languages.
import type { Clock } from '#lib/clock.ts';
import { type Catalog, type Definition, type DefinitionType, joinCanonical, layered } from '../catalog/catalog.ts';
import { catalogOfRequest } from '../catalog/table-catalog.ts';
import { createEvaluate, type Evaluate, findValueSet } from '../content/evaluate.ts';
import { requireSupplements, type SystemView, viewOfDefinition } from '../content/system-view.ts';
import { ownParameter } from '../content/version-matches.ts';
import { NO_RULES, type VersionRules, versionsByUrl } from '../content/version-rules.ts';
import { chooseVersion, requireChecked } from '../content/version-table.ts';
import { type Json, text } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import { valueSetOfContext } from './element-context.ts';
import type { Inputs } from './inputs.ts';
import { type Languages, readLanguages } from './languages.ts';

/** The parts of the context that requests share. */
export interface TerminologyBase {
  readonly catalog: Catalog;
  readonly evaluate: Evaluate;
  readonly clock: Clock;
}

export interface OperationContext {
  readonly catalog: Catalog;
  readonly evaluate: Evaluate;
  readonly rules: VersionRules;
  readonly languages: Languages;
  /** Whether the request names its languages in displayLanguage; otherwise they are of Accept-Language. */
  readonly isLanguageNamed: boolean;
}

/** The target of the operation: an id in the URL, and the languages that the client accepts. */
export interface OperationTarget {
  readonly id?: string | undefined;
  readonly acceptLanguage?: string | undefined;
}

/** Parameters that hold definitions. */
const DEFINITION_PARAMETERS = ['tx-resource', 'codeSystem', 'valueSet', 'conceptMap', 'thisValueSet', 'otherValueSet'];

export function contextOf(
  base: TerminologyBase,
  inputs: Inputs,
  { acceptLanguage }: OperationTarget,
): OperationContext {
  const definitions = inputs.holdsResources ? definitionsIn(inputs) : NONE;
  if (inputs.has('tx-resource')) checkTxResources(inputs);
  const { catalog, evaluate } = withRequestDefinitions(base, definitions);
  const rules = rulesOf(inputs);
  if (rules.supplements.length > 0) requireSupplements(catalog, rules.supplements, 'not-found');
  const named = inputs.shortText('displayLanguage');
  return {
    catalog,
    evaluate,
    rules,
    languages: readLanguages(named ?? acceptLanguage),
    isLanguageNamed: named !== undefined,
  };
}

const NONE: readonly Json[] = [];

function definitionsIn(inputs: Inputs): readonly Json[] {
  return DEFINITION_PARAMETERS.flatMap((name) => (inputs.holdsResource(name) ? inputs.resources(name) : []));
}

/**
 * The languages that displayLanguage names. Without it those that the value set itself asks for, then those of
 * Accept-Language, then the language that the value set is in
 * (build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/languages.html).
 */
export function languagesOf({ languages, isLanguageNamed }: OperationContext, valueSet: Json): Languages {
  if (isLanguageNamed && languages.given !== undefined) return languages;
  const own = ownParameter(valueSet, 'displayLanguage');
  const wanted = own === undefined ? undefined : readLanguages(own);
  if (wanted?.given !== undefined) return wanted;
  return languages.given === undefined ? readLanguages(text(valueSet['language'])) : languages;
}

/**
 * Checks the definitions in `tx-resource`. One without a url could not be referred to, and would be ignored without an
 * error.
 */
function checkTxResources(inputs: Inputs): void {
  for (const { resourceType, url } of inputs.resources('tx-resource')) {
    const isDefinition = resourceType === 'CodeSystem' || resourceType === 'ValueSet' || resourceType === 'ConceptMap';
    if (!isDefinition) inputs.issue('tx-resource', 'tx-resource must be a CodeSystem, ValueSet or ConceptMap');
    else if (text(url) === undefined)
      inputs.issue('tx-resource', `tx-resource must have a url: a ${resourceType} has none`);
  }
}

type CatalogAndEvaluate = Pick<TerminologyBase, 'catalog' | 'evaluate'>;

interface RequestBase extends CatalogAndEvaluate {
  readonly resources: readonly Json[];
  readonly base: TerminologyBase;
}

/** By the first definition: all parts of a batch share the same definitions, which are read and evaluated once. */
const requestBases = new WeakMap<Json, RequestBase>();

function withRequestDefinitions(base: TerminologyBase, resources: readonly Json[]): CatalogAndEvaluate {
  const [first] = resources;
  if (first === undefined) return base;
  const before = requestBases.get(first);
  if (before?.base === base && isSame(before.resources, resources)) return before;
  const catalog = layered([catalogOfRequest(resources), base.catalog]);
  const created = { base, resources, catalog, evaluate: createEvaluate(catalog) };
  requestBases.set(first, created);
  return created;
}

function isSame(some: readonly Json[], others: readonly Json[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}

const RULE_PARAMETERS = [
  'system-version',
  'check-system-version',
  'force-system-version',
  'default-valueset-version',
  'useSupplement',
];

function rulesOf(inputs: Inputs): VersionRules {
  if (!RULE_PARAMETERS.some((name) => inputs.has(name))) return NO_RULES;
  return {
    ...NO_RULES,
    defaults: versionsByUrl(inputs.texts('system-version')),
    checked: versionsByUrl(inputs.texts('check-system-version')),
    forced: versionsByUrl(inputs.texts('force-system-version')),
    valueSets: versionsByUrl(inputs.texts('default-valueset-version')),
    supplements: inputs.texts('useSupplement'),
  };
}

/** @throws TerminologyError `not-found`; `exception` for another version than the checked one */
export function requireView(
  { catalog, rules }: OperationContext,
  url: string,
  version: string | undefined,
): SystemView {
  const known = catalog.codeSystems(url);
  const { definition, findings, wanted } = chooseVersion(known, rules, { url, named: version, given: undefined });
  if (definition !== undefined && !findings.includes('wanted-unknown')) {
    const view = viewOfDefinition(catalog, definition, rules.supplements);
    requireChecked(rules, url, view.model.meta.version);
    return view;
  }
  const canonical = joinCanonical({ url, version: wanted });
  throw new TerminologyError('not-found', `the code system ${canonical} is not known here`, 'not-found');
}

/**
 * Refuses a past `date`: only the current definitions are stored.
 * @throws TerminologyError `not-supported` for a past day
 */
export function requireNow(inputs: Inputs, { clock }: TerminologyBase): void {
  const given = inputs.text('date');
  if (given === undefined) return;
  if (!/^\d{4}-\d{2}-\d{2}(?:T.*)?$/.test(given) || Number.isNaN(Date.parse(given))) {
    inputs.issue('date', 'date must be a date or dateTime: 2026-01-31');
  } else if (given.slice(0, 10) < new Date(clock.now()).toISOString().slice(0, 10)) {
    throw new TerminologyError('not-supported', `definitions are known as they are now, not as they were on ${given}`);
  }
}

/** The definition with the id in the URL. @throws TerminologyError `not-found` */
export function requireById(context: OperationContext, type: DefinitionType, id: string): Definition {
  const found = context.catalog.byId(type, id);
  if (found !== undefined) return found;
  throw new TerminologyError('not-found', `there is no ${type}/${id} here`, 'not-found');
}

/**
 * The requested value set: by id, as a resource in the request, or by URL.
 * @throws TerminologyError `required`, `not-found`
 */
export function requireValueSet(context: OperationContext, inputs: Inputs, { id }: OperationTarget): Json {
  if (id !== undefined) return requireById(context, 'ValueSet', id).resource();
  if (inputs.holdsResource('valueSet')) {
    const sent = inputs.resource('valueSet', 'ValueSet');
    if (sent !== undefined) return sent;
  }
  const named = inputs.text('url') ?? (inputs.holdsResource('valueSet') ? undefined : inputs.text('valueSet'));
  const url = named ?? valueSetOfContext(inputs);
  if (url === undefined) {
    throw new TerminologyError(
      'required',
      'url, valueSet, context or an id in the address must say which value set is meant',
    );
  }
  const version = inputs.text('valueSetVersion');
  const canonical = version === undefined || url.includes('|') ? url : `${url}|${version}`;
  const found = findValueSet(context.catalog, canonical, context.rules).resource();
  return text(found['url']) === undefined ? { ...found, url } : found;
}

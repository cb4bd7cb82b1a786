// Compiles one official SearchParameter for one base type to a row of the generated file, and corrects errors of the
// published definitions.

import { CONVERTERS } from '../extract/values.ts';
import { type Branch, compileComposite, compileExpression, type ElementLookup } from './compile-expression.ts';
import { isSearchType, SEARCH_TYPES, type SearchType } from './definitions.ts';

/** Parameters published without (or with too narrow) an expression. */
const CORRECTED_EXPRESSIONS: Readonly<Record<string, string>> = {
  'CareTeam.date': 'CareTeam.period',
  'ImagingStudy.reason': 'ImagingStudy.reason.concept',
  'Medication.form': 'Medication.doseForm',
};
/** Components published with an expression that leads past their element. */
const CORRECTED_COMPONENTS: Readonly<Record<string, string>> = {
  'Encounter-location-period location.reference': 'location',
};
/** Composites that cannot be evaluated as published: their components are elsewhere, or are narratives. */
const EXCLUDED_COMPOSITES = new Set(['Device-code-value-concept', 'Composition-section-code-text']);
/** The data types of a component's expression by which the component has the search type. */
const COMPONENT_TYPES: Readonly<Record<SearchType, readonly string[]>> = {
  token: ['CodeableConcept', 'Coding', 'Identifier', 'code', 'boolean'],
  quantity: ['Quantity', 'Range', 'Ratio', 'SampledData', 'Age', 'Count', 'Distance', 'Duration'],
  date: ['date', 'dateTime', 'instant', 'Period', 'Timing'],
  string: ['string', 'markdown'],
  reference: ['Reference'],
  uri: ['canonical', 'uri', 'url'],
  number: [],
  composite: [],
  special: [],
};
/** More targets than this means "any resource". */
const ANY_TARGET = 100;

/** The members that are read of a SearchParameter resource. */
export interface PublishedParameter {
  readonly id: string;
  readonly code: string;
  readonly type: string;
  readonly base: readonly string[];
  readonly expression?: string;
  readonly target?: readonly string[];
  readonly processingMode?: string;
  readonly component?: readonly { readonly definition: string; readonly expression: string }[];
}

/** The row of one base type: `[id, search type, branches, targets?, groups?]`. @throws Error */
export function compileParameter(parameter: PublishedParameter, base: string, lookup: ElementLookup): unknown[] {
  const expression = CORRECTED_EXPRESSIONS[`${base}.${parameter.code}`] ?? parameter.expression ?? '';
  const targets = parameter.target ?? [];
  const found = expression === '' ? [] : compileExpression(expression, base, lookup);
  const branches = found.filter((branch) => isIndexable(parameter.type, branch));
  // A phonetic parameter compares sounds, so it is not searched as a string.
  if (parameter.type === 'composite') return compileCompositeParameter(parameter, base, lookup);
  if (parameter.processingMode === 'phonetic') return [parameter.id, 'special', []];
  const compiled: unknown[] = [parameter.id, parameter.type, branches];
  if (parameter.type === 'reference') compiled.push(targets.length > ANY_TARGET ? [] : targets);
  return compiled;
}

/**
 * `[id, 'composite', [], [], groups]`; a group is `[steps, [search type, branches] …]`. A composite without groups
 * cannot be searched.
 */
function compileCompositeParameter(parameter: PublishedParameter, base: string, lookup: ElementLookup): unknown[] {
  const { id, expression = '', component = [] } = parameter;
  const components = component.map((each) => CORRECTED_COMPONENTS[`${id} ${each.expression}`] ?? each.expression);
  const groups = EXCLUDED_COMPOSITES.has(id) ? [] : compileComposite({ expression, components }, base, lookup);
  const typed = groups
    .map(({ steps, components: branches }) => [steps, ...branches.map((each) => typedComponent(each))])
    .filter(([, ...parts]) => parts.every((part) => part !== undefined));
  return [id, 'composite', [], [], typed];
}

function typedComponent(branches: readonly Branch[]): unknown {
  const dataType = branches[0]?.[0]?.split('=')[0] ?? '';
  const type = SEARCH_TYPES.find((each) => COMPONENT_TYPES[each].includes(dataType));
  const indexable = type === undefined ? [] : branches.filter((branch) => isIndexable(type, branch));
  return indexable.length === 0 ? undefined : [type, indexable];
}

/** Whether the branch leads to a data type that the search type can index (an extension's value may be anything). */
export function isIndexable(searchType: string, branch: Branch): boolean {
  if (!isSearchType(searchType) || searchType === 'special' || searchType === 'composite') return false;
  const type = (branch[0] ?? '').replace('!first ', '').split('=')[0] ?? '';
  return type === '$isTrue' || CONVERTERS[searchType][type] !== undefined;
}

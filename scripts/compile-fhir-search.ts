// Compiles every R5 SearchParameter of hl7.fhir.r5.core into lib/fhir/search/generated/search-parameters.json.
// `--check` compares instead of writing and fails on drift.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type Branch,
  compileComposite,
  compileExpression,
  type ElementStep,
} from '#lib/fhir/search/compile-expression.ts';
import { CONVERTERS } from '#lib/fhir/search/values.ts';

const SOURCE = new URL('../node_modules/hl7.fhir.r5.core/', import.meta.url);
const TARGET = new URL('../lib/fhir/search/generated/search-parameters.json', import.meta.url);
/** Examples that collide with real parameters. */
const LEFT_OUT = new Set(['example', 'example-constraint', 'example-extension', 'example-reference', 'filter']);
/** Parameters published without (or with too narrow) an expression. */
const MENDED: Readonly<Record<string, string>> = {
  'CareTeam.date': 'CareTeam.period',
  'ImagingStudy.reason': 'ImagingStudy.reason.concept',
  'Medication.form': 'Medication.doseForm',
};
/** Components published with an expression that leads past their element. */
const MENDED_COMPONENTS: Readonly<Record<string, string>> = {
  'Encounter-location-period location.reference': 'location',
};
/** Composites that cannot be evaluated as published: their components are not where they say, or are narratives. */
const LEFT_OUT_COMPOSITES = new Set(['Device-code-value-concept', 'Composition-section-code-text']);
/** The search type of a component by the data type that its expression leads to. */
const COMPONENT_TYPES: readonly (readonly [type: string, dataTypes: readonly string[]])[] = [
  ['token', ['CodeableConcept', 'Coding', 'Identifier', 'code', 'boolean']],
  ['quantity', ['Quantity', 'Range', 'Ratio', 'SampledData', 'Age', 'Count', 'Distance', 'Duration']],
  ['date', ['date', 'dateTime', 'instant', 'Period', 'Timing']],
  ['string', ['string', 'markdown']],
  ['reference', ['Reference']],
  ['uri', ['canonical', 'uri', 'url']],
];
/** More targets than this means "any resource". */
const ANY_TARGET = 100;

interface ElementDefinition {
  readonly path: string;
  readonly type?: readonly { readonly code: string; readonly extension?: readonly { readonly valueUrl?: string }[] }[];
  readonly contentReference?: string;
  readonly binding?: { readonly strength: string; readonly valueSet?: string };
}
interface SearchParameter {
  readonly id: string;
  readonly code: string;
  readonly type: string;
  readonly base: readonly string[];
  readonly expression?: string;
  readonly target?: readonly string[];
  readonly processingMode?: string;
  readonly component?: readonly { readonly definition: string; readonly expression: string }[];
}
interface ValueSet {
  readonly url: string;
  readonly compose?: { readonly include?: readonly { readonly system?: string; readonly valueSet?: unknown }[] };
}

function readAll<T>(prefix: string): T[] {
  return readdirSync(SOURCE)
    .filter((name) => name.startsWith(`${prefix}-`))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, SOURCE), 'utf8')) as T);
}

const elements = new Map<string, ElementDefinition>();
for (const definition of readAll<{
  kind: string;
  derivation?: string;
  snapshot?: { element: ElementDefinition[] };
}>('StructureDefinition')) {
  if (definition.derivation === 'constraint' || definition.kind === 'logical') continue;
  for (const element of definition.snapshot?.element ?? []) elements.set(element.path, element);
}

const systemOf = new Map<string, string>();
for (const set of readAll<ValueSet>('ValueSet')) {
  const includes = set.compose?.include ?? [];
  const system = includes[0]?.system;
  if (system !== undefined && includes.every((include) => include.system === system)) systemOf.set(set.url, system);
}

function lookup(place: string, name: string): ElementStep[] {
  const plain = elements.get(`${place}.${name}`);
  const element = plain ?? elements.get(`${place}.${name}[x]`);
  if (element === undefined) return [];
  if (element.contentReference !== undefined) {
    const path = element.contentReference.slice(element.contentReference.indexOf('#') + 1);
    return [{ property: name, type: 'BackboneElement', place: path }];
  }
  return (element.type ?? []).map((type) => {
    const code = type.code.startsWith('http://hl7.org/fhirpath/System.')
      ? (type.extension?.find((extension) => extension.valueUrl !== undefined)?.valueUrl ?? 'string')
      : type.code;
    const isLocal = code === 'BackboneElement' || code === 'Element';
    return {
      property: plain ? name : name + code.charAt(0).toUpperCase() + code.slice(1),
      type: withSystem(code, element),
      place: isLocal ? element.path : code,
    };
  });
}

function withSystem(code: string, element: ElementDefinition): string {
  const valueSet = element.binding?.valueSet?.split('|')[0];
  const system =
    element.binding?.strength === 'required' && valueSet !== undefined ? systemOf.get(valueSet) : undefined;
  return code === 'code' && system !== undefined ? `code=${system}` : code;
}

function compileParameter(parameter: SearchParameter, base: string): unknown[] {
  const expression = MENDED[`${base}.${parameter.code}`] ?? parameter.expression ?? '';
  const found = expression === '' ? [] : compileExpression(expression, base, lookup);
  const branches = found.filter((branch) => isIndexable(parameter.type, branch));
  const targets = parameter.target ?? [];
  // What sounds alike is not what begins alike: a phonetic parameter is no plain string.
  if (parameter.type === 'composite') return compileCompositeParameter(parameter, base);
  if (parameter.processingMode === 'phonetic') return [parameter.id, 'special', []];
  const compiled: unknown[] = [parameter.id, parameter.type, branches];
  if (parameter.type === 'reference') compiled.push(targets.length > ANY_TARGET ? [] : targets);
  return compiled;
}

/** `[id, 'composite', [], [], groups]`; a group is `[steps, [search type, branches] …]`. Without groups it cannot be searched. */
function compileCompositeParameter(parameter: SearchParameter, base: string): unknown[] {
  const { id, expression = '', component = [] } = parameter;
  const components = component.map((each) => MENDED_COMPONENTS[`${id} ${each.expression}`] ?? each.expression);
  const groups = LEFT_OUT_COMPOSITES.has(id) ? [] : compileComposite({ expression, components }, base, lookup);
  const typed = groups
    .map(({ steps, components: branches }) => [steps, ...branches.map((each) => typedComponent(each))])
    .filter(([, ...parts]) => parts.every((part) => part !== undefined));
  return [id, 'composite', [], [], typed];
}

function typedComponent(branches: readonly Branch[]): unknown {
  const dataType = branches[0]?.[0]?.split('=')[0] ?? '';
  const type = COMPONENT_TYPES.find(([, dataTypes]) => dataTypes.includes(dataType))?.[0];
  const indexable = type === undefined ? [] : branches.filter((branch) => isIndexable(type, branch));
  return indexable.length === 0 ? undefined : [type, indexable];
}

/** Whether the branch leads to a data type that the search type can index (an extension's value may be anything). */
function isIndexable(searchType: string, branch: Branch): boolean {
  if (searchType === 'special' || searchType === 'composite') return false;
  const type = (branch[0] ?? '').replace('!first ', '').split('=')[0] ?? '';
  return type === '$isTrue' || CONVERTERS[searchType]?.[type] !== undefined;
}

function compileAll(): string {
  const all = readAll<SearchParameter>('SearchParameter').filter((parameter) => !LEFT_OUT.has(parameter.id));
  const byType: Record<string, Record<string, unknown[]>> = {};
  for (const parameter of all) {
    for (const base of parameter.base) {
      const type = base === 'DomainResource' ? 'Resource' : base;
      if (parameter.id === 'DomainResource-text') continue;
      byType[type] ??= {};
      byType[type][parameter.code] = compileParameter(parameter, type);
    }
  }
  const lines = Object.keys(byType)
    .sort()
    .map((type) => `${JSON.stringify(type)}:${JSON.stringify(byType[type])}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

const output = compileAll();
if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== output) {
    console.error('search-parameters.json is out of date: run scripts/compile-fhir-search.ts');
    process.exitCode = 1;
  }
} else {
  writeFileSync(TARGET, output);
}

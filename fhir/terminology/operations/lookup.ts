// $lookup: the details of a code (hl7.org/fhir/R5/codesystem-operation-lookup.html).
import { joinCanonical } from '../catalog/catalog.ts';
import { type CodeGrammar, grammarOf } from '../content/code-grammars.ts';
import { designationsOf, propertiesOf, type SystemView, viewOf } from '../content/system-view.ts';
import type { Json } from '../json.ts';
import type { CodeSystemMeta, CodeSystemModel, Designation, Property } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import {
  contextOf,
  type OperationContext,
  type OperationTarget,
  requireById,
  requireNow,
  requireView,
  type TerminologyBase,
} from './context.ts';
import type { Inputs } from './inputs.ts';
import { isInLanguage, type Names, nameIn } from './languages.ts';
import { type Parameters, parameter, parametersOf, partsOf, propertyParameter } from './parameters.ts';

/** @throws TerminologyError `required`, `not-found`, `not-supported` */
export function lookup(base: TerminologyBase, inputs: Inputs, target: OperationTarget): Parameters {
  const context = contextOf(base, inputs, target);
  requireNow(inputs, base);
  const { system, version, code } = requestedCode(context, inputs, target);
  const grammar = grammarOf(system);
  if (grammar !== undefined && viewOf(context.catalog, system, version) === undefined)
    return unlisted(grammar, { system, code, context });
  const view = requireView(context, system, version);
  const { model } = view;
  const exact = model.find(code);
  const place = exact === -1 ? model.findFolded(code) : exact;
  if (place === -1) throw unknownCode(code, model.meta.url, model.meta.version);
  const properties = inputs.texts('property');
  return conceptParameters(view, place, {
    context,
    properties: properties.length === 0 ? NO_PROPERTIES : new Set(properties),
  });
}

function unknownCode(code: string, system: string, version?: string): TerminologyError {
  const of = version === undefined ? '' : ` version '${version}'`;
  return new TerminologyError('not-found', `Unknown code '${code}' in the CodeSystem '${system}'${of}`, 'invalid-code');
}

/** A code that a grammar defines has no details but itself. */
function unlisted(
  { name, holds, displayOf }: CodeGrammar,
  { system, code, context }: { readonly system: string; readonly code: string; readonly context: OperationContext },
): Parameters {
  if (!holds(code)) throw unknownCode(code, system);
  return parametersOf(
    parameter('code', 'Code', code),
    parameter('system', 'Uri', system),
    parameter('name', 'String', name),
    parameter('display', 'String', displayOf(code, context.languages.tags)),
  );
}

interface RequestedCode {
  readonly system: string;
  readonly version: string | undefined;
  readonly code: string;
}

/** The requested code and its code system. */
function requestedCode(context: OperationContext, inputs: Inputs, { id }: OperationTarget): RequestedCode {
  inputs.oneOf(['coding', 'code'], 'says what is looked up');
  const coding = inputs.coding('coding');
  const code = coding?.code ?? inputs.text('code');
  if (code === undefined) throw new TerminologyError('required', 'code or coding must say what is looked up');
  const named = id === undefined ? undefined : requireById(context, 'CodeSystem', id);
  const system = named?.url ?? coding?.system ?? inputs.text('system');
  if (system === undefined) throw new TerminologyError('required', 'system must say which code system the code is of');
  return { system, version: named?.version ?? coding?.version ?? inputs.text('version'), code };
}

const NO_PROPERTIES: ReadonlySet<string> = new Set();

interface LookupOptions {
  readonly context: OperationContext;
  /** The requested properties; empty for all. */
  readonly properties: ReadonlySet<string>;
}

/** Whether a property, or a part of the response with a property name, is requested. */
function isRequested({ properties }: LookupOptions, name: string): boolean {
  return properties.size === 0 || properties.has(name) || properties.has('*');
}

function conceptParameters(view: SystemView, place: number, options: LookupOptions): Parameters {
  const { model } = view;
  const { meta } = model;
  const designations = designationsOf(view, place);
  const display = model.display(place);
  const names = { display, language: meta.language, designations };
  const shown = nameIn(options.context.languages, names);
  return parametersOf(
    parameter('code', 'Code', model.code(place)),
    parameter('system', 'Uri', meta.url),
    parameter('name', 'String', meta.name ?? meta.title ?? meta.url),
    parameter('version', 'String', meta.version),
    parameter('display', 'String', shown ?? model.code(place)),
    isRequested(options, 'definition') ? parameter('definition', 'String', model.definition(place)) : undefined,
    model.isAbstract(place) ? parameter('abstract', 'Boolean', true) : undefined,
    ...(isRequested(options, 'designation') ? designationParts(names, shown, options.context) : []),
    ...propertyParts(view, place, options),
    ...view.supplements.map((each) => parameter('used-supplement', 'Canonical', joinCanonical(each.meta))),
  );
}

/** All designations, or those in the requested languages; the display too, in the language of the code system. */
function designationParts(
  { display, language, designations }: Names,
  shown: string | undefined,
  { languages: { tags } }: OperationContext,
): Json[] {
  const parts: Json[] = [];
  const add = ({ language: of, use, value, source }: Designation): void => {
    if (tags.length > 0 && of !== undefined && !tags.some((tag) => isInLanguage(of, tag))) return;
    const [named, used] = [parameter('language', 'Code', of), parameter('use', 'Coding', use)];
    const from = parameter('source', 'Canonical', source);
    parts.push(partsOf('designation', named, used, parameter('value', 'String', value), from));
  };
  const isNamed = language !== undefined || display !== shown;
  if (display !== undefined && isNamed) add({ language, use: undefined, value: display });
  for (const each of designations) add(each);
  return parts;
}

function propertyParts(view: SystemView, place: number, options: LookupOptions): Json[] {
  const { model } = view;
  const { hierarchy, meta } = model;
  const own = propertiesOf(view, place, false);
  const has = (name: string): boolean => own.some(({ code }) => code === name);
  const parts: Json[] = [];
  if (isRequested(options, 'inactive') && !has('inactive')) {
    const inactive = parameter('value', 'Boolean', model.isInactive(place));
    parts.push(partsOf('property', parameter('code', 'Code', 'inactive'), inactive));
  }
  const addRelatives = (code: string, others: Int32Array): void => {
    if (others.length === 0 || !isRequested(options, code) || has(code)) return;
    for (const other of others) {
      const value = parameter('value', 'Code', model.code(other));
      const description = parameter('description', 'String', model.display(other));
      parts.push(partsOf('property', parameter('code', 'Code', code), value, description));
    }
  };
  addRelatives('parent', hierarchy.parentsOf(place));
  addRelatives('child', hierarchy.childrenOf(place));
  const descriptions = descriptionsOf(meta);
  for (const property of own) {
    const { code } = property;
    if (!isRequested(options, code)) continue;
    const description = parameter('description', 'String', descriptions.get(code));
    parts.push(partsOf('property', parameter('code', 'Code', code), propertyParameter('value', property), description));
  }
  parts.push(...attributeParts(model, place, options));
  return parts;
}

const descriptionsByMeta = new WeakMap<CodeSystemMeta, ReadonlyMap<string, string | undefined>>();

/** What a code system says of its properties, by their codes. */
function descriptionsOf(meta: CodeSystemMeta): ReadonlyMap<string, string | undefined> {
  const known = descriptionsByMeta.get(meta);
  if (known !== undefined) return known;
  const found = new Map(meta.properties.map(({ code, description }) => [code, description]));
  descriptionsByMeta.set(meta, found);
  return found;
}

const NONE: Json[] = [];

/** The concept of SNOMED CT that stands for a group of attributes. */
const ROLE_GROUP = '609096000';

/** The attributes of SNOMED CT: single ones are properties, those of a group are parts of one. */
function attributeParts(model: CodeSystemModel, place: number, options: LookupOptions): Json[] {
  if (model.relations.isEmpty) return NONE;
  const named = (property: Property): (Json | undefined)[] => [
    parameter('code', 'Code', property.code),
    propertyParameter('value', property),
    property.kind === 'code'
      ? parameter('description', 'String', model.display(model.find(property.value)))
      : undefined,
  ];
  return [...model.attributes(place)].flatMap(([group, list]) => {
    const isWhole = group !== 0 && isRequested(options, ROLE_GROUP);
    const shown = isWhole ? list : list.filter(({ code }) => isRequested(options, code));
    if (group === 0) return shown.map((each) => partsOf('property', ...named(each)));
    const parts = shown.map((each) => partsOf('subproperty', ...named(each)));
    return parts.length === 0 ? [] : [partsOf('property', parameter('code', 'Code', ROLE_GROUP), ...parts)];
  });
}

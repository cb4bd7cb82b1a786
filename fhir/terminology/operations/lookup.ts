// $lookup: the details of a code (hl7.org/fhir/R5/codesystem-operation-lookup.html).
import { joinCanonical } from '../catalog/catalog.ts';
import { type CodeGrammar, grammarOf } from '../content/code-grammars.ts';
import { designationsOf, propertiesOf, type SystemView, viewOf } from '../content/system-view.ts';
import type { Json } from '../json.ts';
import type { CodeSystemMeta, CodeSystemModel, Coding, Designation, Property } from '../model/code-system-model.ts';
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

/**
 * Returns a Parameters resource as JSON text: most of the time of a lookup would go into building and reading objects.
 * @throws TerminologyError `required`, `not-found`, `not-supported`
 */
export function lookup(base: TerminologyBase, inputs: Inputs, target: OperationTarget): string {
  const context = contextOf(base, inputs, target);
  requireNow(inputs, base);
  const { system, version, code } = requestedCode(context, inputs, target);
  const grammar = grammarOf(system);
  if (grammar !== undefined && viewOf(context.catalog, system, version) === undefined)
    return JSON.stringify(unlisted(grammar, { system, code, context }));
  const view = requireView(context, system, version);
  const { model } = view;
  const exact = model.find(code);
  const place = exact === -1 ? model.findFolded(code) : exact;
  if (place === -1) throw unknownCode(code, model.meta.url, model.meta.version);
  const properties = inputs.texts('property');
  return conceptText(view, place, {
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

/** The response as JSON text: of the few texts that differ between concepts, and pieces that a code system shares. */
function conceptText(view: SystemView, place: number, options: LookupOptions): string {
  const { model, supplements } = view;
  const { meta } = model;
  const designations = designationsOf(view, place);
  const display = model.display(place);
  const names = { display, language: meta.language, designations };
  const shown = nameIn(options.context.languages, names);
  const code = quoted(model.code(place));
  let text = `${BEGIN}${code}}${sharedOf(meta).head},{"name":"display","valueString":${shown === undefined ? code : quoted(shown)}}`;
  const definition = isRequested(options, 'definition') ? model.definition(place) : undefined;
  if (definition !== undefined) text += `,{"name":"definition","valueString":${quoted(definition)}}`;
  if (model.isAbstract(place)) text += ',{"name":"abstract","valueBoolean":true}';
  if (isRequested(options, 'designation')) text += designationTexts(names, shown, options.context);
  text += propertyTexts(view, place, options);
  for (const each of supplements)
    text += memberText(parameter('used-supplement', 'Canonical', joinCanonical(each.meta)));
  return `${text}]}`;
}

const BEGIN = '{"resourceType":"Parameters","parameter":[{"name":"code","valueCode":';

const quoted = (text: string): string => JSON.stringify(text);
/** A further member of a list. */
const memberText = (member: Json | undefined): string => (member === undefined ? '' : `,${JSON.stringify(member)}`);

/** What the responses of all codes of a code system have in common. */
interface SharedTexts {
  /** Its URL, name and version. */
  readonly head: string;
  /** What it says of its properties, by their codes. */
  readonly descriptions: ReadonlyMap<string, string>;
}

const sharedByMeta = new WeakMap<CodeSystemMeta, SharedTexts>();

function sharedOf(meta: CodeSystemMeta): SharedTexts {
  const known = sharedByMeta.get(meta);
  if (known !== undefined) return known;
  const head =
    memberText(parameter('system', 'Uri', meta.url)) +
    memberText(parameter('name', 'String', meta.name ?? meta.title ?? meta.url)) +
    memberText(parameter('version', 'String', meta.version));
  const descriptions = new Map(
    meta.properties.map(({ code, description }) => [code, memberText(parameter('description', 'String', description))]),
  );
  const shared = { head, descriptions };
  sharedByMeta.set(meta, shared);
  return shared;
}

/** All designations, or those in the requested languages; the display too, in the language of the code system. */
function designationTexts(
  { display, language, designations }: Names,
  shown: string | undefined,
  { languages: { tags } }: OperationContext,
): string {
  let texts = '';
  const add = (of: string | undefined, use: Coding | undefined, { value, source }: Named): void => {
    if (tags.length > 0 && of !== undefined && !tags.some((tag) => isInLanguage(of, tag))) return;
    texts += ',{"name":"designation","part":[';
    if (of !== undefined) texts += `{"name":"language","valueCode":${quoted(of)}},`;
    if (use !== undefined) texts += `{"name":"use","valueCoding":${useText(use)}},`;
    texts += `{"name":"value","valueString":${quoted(value)}}`;
    if (source !== undefined) texts += `,{"name":"source","valueCanonical":${quoted(source)}}`;
    texts += ']}';
  };
  const isNamed = language !== undefined || display !== shown;
  if (display !== undefined && isNamed) add(language, undefined, { value: display });
  for (const each of designations) add(each.language, each.use, each);
  return texts;
}

type Named = Pick<Designation, 'value' | 'source'>;

/** A code system has few uses, each of which is one object. */
const useTexts = new WeakMap<Coding, string>();

function useText(use: Coding): string {
  const known = useTexts.get(use);
  if (known !== undefined) return known;
  const text = JSON.stringify(use);
  useTexts.set(use, text);
  return text;
}

const PROPERTY = ',{"name":"property","part":[{"name":"code","valueCode":';

function propertyTexts(view: SystemView, place: number, options: LookupOptions): string {
  const { model } = view;
  const { hierarchy, meta } = model;
  const own = propertiesOf(view, place, false);
  const isShown = (name: string): boolean => isRequested(options, name) && !own.some(({ code }) => code === name);
  let texts = '';
  if (isShown('inactive'))
    texts += `${PROPERTY}"inactive"},{"name":"value","valueBoolean":${model.isInactive(place)}}]}`;
  const addRelatives = (code: string, others: Int32Array): void => {
    if (others.length === 0 || !isShown(code)) return;
    for (const other of others) {
      const display = model.display(other);
      texts += `${PROPERTY}"${code}"},{"name":"value","valueCode":${quoted(model.code(other))}}`;
      if (display !== undefined) texts += `,{"name":"description","valueString":${quoted(display)}}`;
      texts += ']}';
    }
  };
  addRelatives('parent', hierarchy.parentsOf(place));
  addRelatives('child', hierarchy.childrenOf(place));
  const { descriptions } = sharedOf(meta);
  for (const property of own) {
    const { code, kind, value } = property;
    if (!isRequested(options, code)) continue;
    texts += `${PROPERTY}${quoted(code)}}`;
    if (kind === 'code') texts += `,{"name":"value","valueCode":${quoted(value)}}`;
    else if (kind === 'string') texts += `,{"name":"value","valueString":${quoted(value)}}`;
    else texts += memberText(propertyParameter('value', property));
    texts += `${descriptions.get(code) ?? ''}]}`;
  }
  for (const each of attributeParts(model, place, options)) texts += memberText(each);
  return texts;
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

// The properties of codes in an expansion: those of the request, and those that always belong to a code. These are its
// status, and label, order and weight from extensions
// (hl7.org/fhir/R5/valueset-definitions.html#ValueSet.expansion.property).
import type { KnownPart, Listed } from '../content/content.ts';
import { extensionsAt, propertiesOf, type SystemView } from '../content/system-view.ts';
import { type Json, text } from '../json.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { extensionValue, ITEM_WEIGHT, LABELS, ORDERS, repeated, STANDARDS_STATUS } from '../model/extensions.ts';
import { propertyValue } from './parameters.ts';

const CONCEPT_PROPERTIES = 'http://hl7.org/fhir/concept-properties';

/** Their URIs, where they differ from the code. */
const URI_NAMES: Readonly<Record<string, string>> = { weight: 'itemWeight' };

/** The list of the properties in an expansion, with their URIs. */
export function propertyDefinitions(codes: Iterable<string>, models: Iterable<CodeSystemModel>): Json[] {
  const defined = [...models].flatMap(({ meta }) => meta.properties);
  return [...new Set(codes)].map((code) => {
    const uri = defined.find((each) => each.code === code)?.uri;
    return { code, uri: uri ?? `${CONCEPT_PROPERTIES}#${URI_NAMES[code] ?? code}` };
  });
}

export interface ShownProperties {
  readonly properties: readonly Json[];
  /** Extensions of the code that the expansion repeats. */
  readonly extensions: readonly Json[];
}

const NONE: readonly never[] = [];
const NOTHING: ShownProperties = { properties: NONE, extensions: NONE };

/** Whether no code of the part is shown with properties or extensions. */
export function isWithoutProperties(part: KnownPart, requested: readonly string[]): boolean {
  return !mayHaveMore(part, requested) && statusNameOf(part.view.model) === undefined;
}

function mayHaveMore({ view, listed }: KnownPart, requested: readonly string[]): boolean {
  return requested.length > 0 || listed.size > 0 || view.supplements.length > 0 || view.model.hasExtensions;
}

/** A reader of the properties of a part's codes. */
export function propertyReader(part: KnownPart, requested: readonly string[]): (place: number) => ShownProperties {
  const { model } = part.view;
  if (mayHaveMore(part, requested)) {
    const known = requested.filter((code) => mayHave(part.view, code));
    const asked: Requested = { known, isStatusRequested: requested.includes('status') };
    return (place) => propertiesShown(part, place, asked);
  }
  const name = statusNameOf(model);
  if (name === undefined) return () => NOTHING;
  return (place) => {
    const [status] = model.valuesOf(place, name);
    const isActive = status === undefined || status === 'active';
    return isActive ? NOTHING : { properties: [{ code: 'status', valueCode: status }], extensions: NONE };
  };
}

/** What every concept may have. */
const OF_CONCEPT: readonly string[] = ['definition', 'parent', 'child'];

function mayHave({ model, supplements }: SystemView, code: string): boolean {
  return OF_CONCEPT.includes(code) || [model, ...supplements].some((each) => each.hasProperty(code));
}

interface Requested {
  /** Those that a concept of the system may have. */
  readonly known: readonly string[];
  readonly isStatusRequested: boolean;
}

function propertiesShown(part: KnownPart, place: number, { known, isStatusRequested }: Requested): ShownProperties {
  const { view, listed } = part;
  const ofSystem = extensionsAt(view, place);
  const ofSet = listed.get(place)?.extensions ?? NONE;
  const own = known.length === 0 ? NONE : requestedProperties(view, place, known);
  const status = isStatusRequested ? undefined : statusOf(view.model, place, ofSystem);
  const properties = [
    ...own,
    ...(status === undefined ? [] : [{ code: 'status', valueCode: status }]),
    ...fromExtensions([...ofSet, ...ofSystem]),
  ];
  return { properties, extensions: [...repeated(ofSet), ...repeated(ofSystem).filter(isNoStatus)] };
}

/** The status of a concept of the code system is a property; one that the value set gives stays its extension. */
function isNoStatus({ url }: Json): boolean {
  return url !== STANDARDS_STATUS;
}

/** The properties and extensions of a code that only the value set knows. */
export function listedProperties({ extensions }: Listed): ShownProperties {
  return extensions.length === 0
    ? NOTHING
    : { properties: fromExtensions(extensions), extensions: repeated(extensions) };
}

function fromExtensions(extensions: readonly Json[]): Json[] {
  if (extensions.length === 0) return [];
  const label = extensionValue(extensions, LABELS);
  const order = extensionValue(extensions, ORDERS);
  const weight = extensionValue(extensions, [ITEM_WEIGHT]);
  return [
    ...(label === undefined ? [] : [{ code: 'label', valueString: label }]),
    ...(order === undefined ? [] : [{ code: 'order', valueDecimal: order }]),
    ...(weight === undefined ? [] : [{ code: 'weight', valueDecimal: weight }]),
  ];
}

/** By model: the code of the property that holds the status; undefined for none. */
const statusNames = new WeakMap<CodeSystemModel, { readonly name: string | undefined }>();

function statusNameOf(model: CodeSystemModel): string | undefined {
  const known = statusNames.get(model);
  if (known !== undefined) return known.name;
  const defined = model.meta.properties.find(({ uri }) => uri === `${CONCEPT_PROPERTIES}#status`)?.code;
  const name = defined ?? (model.hasProperty('status') ? 'status' : undefined);
  statusNames.set(model, { name });
  return name;
}

/** The status of a concept by its property, else by its extension (standards-status), unless it is simply active. */
export function statusAt(view: SystemView, place: number): string | undefined {
  const { model, supplements } = view;
  // Few code systems say anything of it.
  const isUnstated = statusNameOf(model) === undefined && !model.hasExtensions && supplements.length === 0;
  return isUnstated ? undefined : statusOf(model, place, extensionsAt(view, place));
}

function statusOf(model: CodeSystemModel, place: number, extensions: readonly Json[]): string | undefined {
  const name = statusNameOf(model);
  const stated = name === undefined ? undefined : model.valuesOf(place, name)[0];
  const status = stated ?? text(extensionValue(extensions, [STANDARDS_STATUS]));
  return status === 'active' ? undefined : status;
}

function requestedProperties(view: SystemView, place: number, requested: readonly string[]): Json[] {
  const given = Map.groupBy(propertiesOf(view, place), ({ code }) => code);
  return requested.flatMap((code) => {
    const own = given.get(code);
    return own === undefined ? ofConcept(view, place, code) : own.map((each) => ({ code, ...propertyValue(each) }));
  });
}

/** A property that every concept may have. */
function ofConcept({ model }: SystemView, place: number, code: string): Json[] {
  const definition = code === 'definition' ? model.definition(place) : undefined;
  if (definition !== undefined) return [{ code, valueString: definition }];
  const relatives =
    code === 'parent' ? model.hierarchy.parentsOf(place) : code === 'child' ? model.hierarchy.childrenOf(place) : [];
  return Array.from(relatives, (other) => ({ code, valueCode: model.code(other) }));
}

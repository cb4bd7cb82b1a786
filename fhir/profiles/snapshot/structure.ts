// Parses a valid StructureDefinition resource into the members that profiles need
// (hl7.org/fhir/R5/structuredefinition.html, elementdefinition.html).
import { mapInSlices, type Slices } from '#lib/jobs/slices.ts';
import { isJsonObject, type JsonObject } from '../../validation/context.ts';
import { isForR5 } from '../version-range.ts';

export interface TypeJson extends JsonObject {
  readonly code: string;
  readonly profile?: readonly string[];
  readonly targetProfile?: readonly string[];
  readonly aggregation?: readonly string[];
}

export interface ConstraintJson extends JsonObject {
  readonly key: string;
  readonly severity: string;
  readonly human: string;
  readonly expression?: string;
  readonly source?: string;
}

export interface BindingJson extends JsonObject {
  readonly strength: string;
  readonly valueSet?: string;
  readonly additional?: readonly { readonly purpose?: string; readonly valueSet?: string }[];
  readonly extension?: readonly JsonObject[];
}

export interface DiscriminatorJson {
  readonly type: string;
  readonly path: string;
}

export interface SlicingJson extends JsonObject {
  readonly discriminator?: readonly DiscriminatorJson[];
  readonly rules?: string;
  readonly ordered?: boolean;
}

/** The members of an ElementDefinition except path and id; members that are not listed here are kept as they are. */
export interface ElementRules extends JsonObject {
  readonly sliceName?: string;
  readonly min?: number;
  readonly max?: string;
  readonly type?: readonly TypeJson[];
  readonly contentReference?: string;
  readonly binding?: BindingJson;
  readonly constraint?: readonly ConstraintJson[];
  readonly slicing?: SlicingJson;
  readonly base?: { readonly path: string; readonly min: number; readonly max: string };
}

/** One ElementDefinition. */
export interface ElementJson extends ElementRules {
  readonly id?: string;
  readonly path: string;
}

export interface ContextJson {
  readonly type: string;
  readonly expression: string;
}

/** A StructureDefinition of a type or a profile. */
export interface Structure {
  readonly url: string;
  readonly version: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly kind: string;
  readonly isProfile: boolean;
  readonly baseDefinition: string | undefined;
  /** The contexts that apply to R5. */
  readonly context: readonly ContextJson[];
  /** Whether an extension, or all of its contexts, are for other versions than R5. */
  readonly isForOthers: boolean;
  readonly snapshot: readonly ElementJson[] | undefined;
  readonly differential: readonly ElementJson[] | undefined;
}

/** Large members of an element that only people read. */
const FOR_PEOPLE = new Set(['mapping', 'example', 'comment', 'requirements', 'alias', 'orderMeaning']);

/** Parses a validated StructureDefinition; undefined for any other resource and for a logical model. */
export function readStructure(resource: unknown): Structure | undefined {
  if (!isJsonObject(resource) || resource['resourceType'] !== 'StructureDefinition') return undefined;
  const { url, type, kind } = resource;
  if (typeof url !== 'string' || typeof type !== 'string' || typeof kind !== 'string' || kind === 'logical')
    return undefined;
  return {
    url,
    version: textIn(resource, 'version'),
    name: textIn(resource, 'name') ?? url,
    type: type.replace('http://hl7.org/fhir/StructureDefinition/', ''),
    kind,
    isProfile: resource['derivation'] === 'constraint',
    baseDefinition: textIn(resource, 'baseDefinition'),
    context: contextsIn(resource).filter(isForR5),
    isForOthers: !isForR5(resource) || (contextsIn(resource).length > 0 && !contextsIn(resource).some(isForR5)),
    snapshot: elementsOf(resource['snapshot'])?.filter(isElement).map(withoutProse),
    differential: elementsOf(resource['differential'])?.filter(isElement).map(withoutProse),
  };
}

/** The same for a definition of any length, in slices between which the event loop is free. */
export async function readStructureInSlices(resource: unknown, slices: Slices): Promise<Structure | undefined> {
  if (!isJsonObject(resource)) return undefined;
  const { snapshot, differential, ...head } = resource;
  const structure = readStructure(head);
  if (structure === undefined) return undefined;
  const read = async (view: unknown): Promise<ElementJson[] | undefined> => {
    const elements = elementsOf(view);
    return elements && (await mapInSlices(elements.filter(isElement), withoutProse, slices));
  };
  return { ...structure, snapshot: await read(snapshot), differential: await read(differential) };
}

function textIn(resource: JsonObject, name: string): string | undefined {
  const value = resource[name];
  return typeof value === 'string' ? value : undefined;
}

function contextsIn({ context }: JsonObject): (ContextJson & JsonObject)[] {
  return (Array.isArray(context) ? context : []).filter(
    (each): each is ContextJson & JsonObject =>
      isJsonObject(each) && typeof each['type'] === 'string' && typeof each['expression'] === 'string',
  );
}

function elementsOf(view: unknown): readonly unknown[] | undefined {
  const elements = isJsonObject(view) ? view['element'] : undefined;
  return Array.isArray(elements) ? elements : undefined;
}

function isElement(value: unknown): value is ElementJson {
  return isJsonObject(value) && typeof value['path'] === 'string';
}

function withoutProse(element: ElementJson): ElementJson {
  return {
    ...Object.fromEntries(Object.entries(element).filter(([name]) => !FOR_PEOPLE.has(name))),
    path: element.path,
  };
}

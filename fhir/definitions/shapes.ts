// Shapes: the element tables of R5 types as objects, inherited elements included. Each shape is built from the
// generated rows on first use (hl7.org/fhir/R5/elementdefinition.html).
import { type PrimitiveRule, primitiveRule } from '../primitives/primitives.ts';
import type { ElementRow, InvariantRow, TypeRow } from './rows.ts';

/** A type that an element may have. */
export interface ElementType {
  readonly code: string;
  /** Resource types a Reference or canonical may point to; undefined when any. */
  readonly targets: readonly string[] | undefined;
  /** Names of the profiles a value must follow, such as `SimpleQuantity`. */
  readonly profiles: readonly string[];
  /** Present when the type is primitive. */
  readonly primitive: PrimitiveRule | undefined;
}

/** An invariant of an element or object, as FHIRPath. */
export interface Invariant {
  /** `pat-1`. Unique only together with the type that sets it: `source`. */
  readonly key: string;
  readonly source: string;
  readonly severity: 'error' | 'warning';
  readonly human: string;
  readonly expression: string | undefined;
  /** Whether a user's profile sets it. */
  readonly isForeign?: boolean;
}

export interface Binding {
  readonly strength: 'required' | 'extensible' | 'preferred';
  readonly valueSet: string;
}

/** One element of a type. */
export interface ElementDefinition {
  /** Without `[x]`: `deceased`. */
  readonly name: string;
  /** As in the specification: `Patient.deceased[x]`. */
  readonly path: string;
  readonly isChoice: boolean;
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  /** Whether JSON carries it as an array. */
  readonly isArray: boolean;
  readonly types: readonly ElementType[];
  readonly binding: Binding | undefined;
  readonly isModifier: boolean;
  readonly isSummary: boolean;
  readonly constraints: readonly Invariant[];
  /** The JSON members that may carry it: `deceasedBoolean`, `deceasedDateTime`. */
  readonly jsonNames: readonly string[];
  /** The path of its value's shape; undefined for a primitive and for a resource of any type. */
  readonly shapePath: string | undefined;
}

/** A JSON member: which element it is and, for a choice, of which type. */
export interface Slot {
  readonly element: ElementDefinition;
  readonly type: ElementType;
  /** The member that carries id and extensions of a primitive: `_birthDate`. */
  readonly sibling: string;
}

/** The elements that an object at one path may have. */
export interface Shape {
  /** `Patient`, `Patient.contact`, `HumanName`. */
  readonly path: string;
  readonly elements: readonly ElementDefinition[];
  /** By JSON member name: `birthDate`, `deceasedBoolean`. */
  readonly slots: ReadonlyMap<string, Slot>;
  /** The elements that must be there. */
  readonly required: readonly ElementDefinition[];
  readonly constraints: readonly Invariant[];
}

const TYPE_TEXT = /^([A-Za-z0-9]+)(?:\(([^)]*)\))?(?:\{([^}]*)\})?$/;
const BACKBONES = new Set(['BackboneElement', 'BackboneType', 'Element']);

/** A function that finds a shape by path in the rows. It returns undefined for a path without children of its own. */
export function shapeReader(types: Readonly<Record<string, TypeRow>>): (path: string) => Shape | undefined {
  const built = new Map<string, Shape | undefined>();
  const shape = (path: string): Shape | undefined => {
    const known = built.get(path);
    if (known !== undefined || built.has(path)) return known;
    const created = buildShape(path);
    built.set(path, created);
    return created;
  };
  const buildShape = (path: string): Shape | undefined => {
    const typeName = path.split('.', 1)[0] ?? '';
    const type = Object.hasOwn(types, typeName) ? types[typeName] : undefined;
    const row = type !== undefined && Object.hasOwn(type.shapes, path) ? type.shapes[path] : undefined;
    if (type === undefined || row === undefined) return undefined;
    const baseName = path === typeName ? type.base : backboneOf(type, path);
    const base = baseName === undefined ? undefined : shape(baseName);
    const byName = new Map((base?.elements ?? []).map((element) => [element.name, element]));
    for (const each of row.elements) {
      const element = buildElement(typeName, type, path, each);
      byName.set(element.name, element);
    }
    const elements = [...byName.values()];
    const own = invariants(typeName, type, row.constraints);
    const required = elements.filter((element) => element.min > 0);
    const constraints = [...(base?.constraints ?? []), ...own];
    return { path, elements, slots: slotsOf(elements), required, constraints };
  };
  return shape;
}

/** The base type of the object at a path within a type: BackboneElement, Element … */
function backboneOf(type: TypeRow, path: string): string | undefined {
  const dot = path.lastIndexOf('.');
  const row = type.shapes[path.slice(0, dot)]?.elements.find((element) => element.name === path.slice(dot + 1));
  return row?.types?.[0];
}

function buildElement(typeName: string, type: TypeRow, shapePath: string, row: ElementRow): ElementDefinition {
  const isChoice = row.name.endsWith('[x]');
  const path = `${shapePath}.${row.name}`;
  const max = row.max === '*' ? Number.POSITIVE_INFINITY : (row.max ?? 1);
  const types = (row.types ?? ['BackboneElement']).map(parseType);
  const name = isChoice ? row.name.slice(0, -3) : row.name;
  return {
    name,
    path,
    isChoice,
    min: row.min ?? 0,
    max,
    isArray: max > 1,
    types,
    binding: row.binding === undefined ? undefined : parseBinding(row.binding),
    isModifier: row.modifier ?? false,
    isSummary: row.summary ?? false,
    constraints: invariants(typeName, type, row.constraints),
    jsonNames: isChoice ? types.map((each) => name + capitalised(each.code)) : [name],
    shapePath: row.content ?? (isChoice ? undefined : ownShapePath(path, types)),
  };
}

function ownShapePath(path: string, types: readonly ElementType[]): string | undefined {
  const [type] = types;
  if (type === undefined || type.primitive !== undefined || type.code === 'Resource') return undefined;
  return BACKBONES.has(type.code) ? path : type.code;
}

const parsedTypes = new Map<string, ElementType>();

function parseType(text: string): ElementType {
  const known = parsedTypes.get(text);
  if (known !== undefined) return known;
  const [, code = text, targets, profiles] = TYPE_TEXT.exec(text) ?? [];
  const allowed = targets?.split('|');
  const type = {
    code,
    targets: allowed?.includes('Resource') ? undefined : allowed,
    profiles: profiles?.split('|') ?? [],
    primitive: primitiveRule(code),
  };
  parsedTypes.set(text, type);
  return type;
}

function parseBinding([strength, valueSet]: readonly [string, string]): Binding | undefined {
  if (strength !== 'required' && strength !== 'extensible' && strength !== 'preferred') return undefined;
  return { strength, valueSet };
}

function invariants(source: string, type: TypeRow, keys: readonly string[] | undefined): Invariant[] {
  return (keys ?? []).flatMap((key) => {
    const row: InvariantRow | undefined = type.invariants?.[key];
    if (row === undefined) return [];
    const severity = row.severity === 'warning' ? 'warning' : 'error';
    return [{ key, source, severity, human: row.human, expression: row.expression }];
  });
}

function slotsOf(elements: readonly ElementDefinition[]): Map<string, Slot> {
  const slots = new Map<string, Slot>();
  for (const element of elements) {
    for (const [index, jsonName] of element.jsonNames.entries()) {
      const type = element.types[index];
      if (type !== undefined) slots.set(jsonName, { element, type, sibling: `_${jsonName}` });
    }
  }
  return slots;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

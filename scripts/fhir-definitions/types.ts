// Compiles the StructureDefinitions of R5's resources and data types into element tables without inherited elements. It
// corrects the errors of the published package that docs/adr/0003 lists.
import type { ElementRow, InvariantRow, ShapeRow, TypeRow } from '#fhir/definitions/rows.ts';
import { readPackage } from './package-files.ts';

interface Typing {
  readonly code: string;
  readonly targetProfile?: readonly string[];
  readonly profile?: readonly string[];
  readonly extension?: readonly { readonly url: string; readonly valueUrl?: string }[];
}

interface Constraint {
  readonly key: string;
  readonly severity: string;
  readonly human: string;
  readonly expression?: string;
}

interface ElementDefinition {
  readonly path: string;
  readonly min: number;
  readonly max: string;
  readonly base: { readonly path: string };
  readonly type?: readonly Typing[];
  readonly contentReference?: string;
  readonly binding?: { readonly strength: string; readonly valueSet?: string };
  readonly isModifier?: boolean;
  readonly isSummary?: boolean;
  readonly constraint?: readonly Constraint[];
}

interface StructureDefinition {
  readonly type: string;
  readonly kind: string;
  readonly abstract: boolean;
  readonly derivation?: string;
  readonly baseDefinition?: string;
  readonly snapshot: { readonly element: readonly ElementDefinition[] };
}

interface Definition extends StructureDefinition {
  /** The constraints at the root of every type: what an element inherits from its base or data type. */
  readonly rootConstraints: ReadonlyMap<string, ReadonlySet<string>>;
}

type RowsByType = ReadonlyMap<string, ReadonlyMap<string, readonly ElementRow[]>>;

const TYPE_EXTENSION = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';
const STRENGTHS = new Set(['required', 'extensible', 'preferred']);

/** The types of `hl7.fhir.r5.core` with their invariants, in alphabetical order. */
export function compileTypes(): Record<string, TypeRow> {
  const definitions = readPackage<StructureDefinition>('hl7.fhir.r5.core', 'StructureDefinition')
    .filter((definition) => definition.derivation !== 'constraint' && definition.kind !== 'logical')
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  const rootConstraints = new Map(definitions.map((each) => [each.type, constraintKeys(each.snapshot.element[0])]));
  const rowsOf = new Map(definitions.map((each) => [each.type, elementRows({ ...each, rootConstraints })]));
  return Object.fromEntries(definitions.map((each) => [each.type, compileType({ ...each, rootConstraints }, rowsOf)]));
}

function compileType(definition: Definition, rowsOf: RowsByType): TypeRow {
  const base = lastSegment(definition.baseDefinition);
  const shapes: Record<string, ShapeRow> = {};
  for (const [path, rows] of rowsOf.get(definition.type) ?? []) {
    const element = definition.snapshot.element.find((each) => each.path === path);
    const inherited = inheritedRows(path === definition.type ? base : element?.type?.[0]?.code, rowsOf);
    const elements = rows.filter((row) => JSON.stringify(row) !== inherited.get(row.name));
    const constraints = element === undefined ? [] : ownConstraints(definition, element);
    shapes[path] = { ...(constraints.length > 0 ? { constraints } : {}), elements };
  }
  const invariants = definition.kind === 'primitive-type' ? {} : ownInvariants(definition);
  return {
    kind: definition.kind,
    ...(definition.abstract ? { abstract: true } : {}),
    ...(base === undefined ? {} : { base }),
    ...(Object.keys(invariants).length > 0 ? { invariants } : {}),
    shapes: definition.kind === 'primitive-type' ? {} : shapes,
  };
}

/** The rows of a type and, for those it does not redefine, of what it inherits from, as JSON by element name. */
function inheritedRows(type: string | undefined, rowsOf: RowsByType): Map<string, string> {
  const rows = type === undefined ? [] : (rowsOf.get(type)?.get(type) ?? []);
  return new Map(rows.map((row) => [row.name, JSON.stringify(row)]));
}

/** The rows of each shape of a type: the type itself and every element that has children of its own. */
function elementRows(definition: Definition): Map<string, ElementRow[]> {
  const shapes = new Map<string, ElementRow[]>([[definition.type, []]]);
  for (const element of definition.snapshot.element) {
    const dot = element.path.lastIndexOf('.');
    if (dot < 0) continue;
    const parent = element.path.slice(0, dot);
    const rows = shapes.get(parent) ?? [];
    rows.push(elementRow(definition, element, shapesWithin(definition, element.path)));
    shapes.set(parent, rows);
  }
  return shapes;
}

function shapesWithin(definition: Definition, path: string): boolean {
  return definition.snapshot.element.some((element) => element.path.startsWith(`${path}.`));
}

function elementRow(definition: Definition, element: ElementDefinition, isShape: boolean): ElementRow {
  const constraints = isShape ? [] : ownConstraints(definition, element);
  const { binding } = element;
  return {
    name: element.path.slice(element.path.lastIndexOf('.') + 1),
    ...(element.min === 0 ? {} : { min: element.min }),
    ...(element.max === '1' ? {} : { max: element.max === '*' ? '*' : Number(element.max) }),
    ...(element.type === undefined ? {} : { types: element.type.map((typing) => typeText(element, typing)) }),
    ...(element.contentReference === undefined ? {} : { content: element.contentReference.replace(/^.*#/, '') }),
    ...(binding?.valueSet !== undefined && STRENGTHS.has(binding.strength)
      ? { binding: [binding.strength, binding.valueSet.replace(/\|5\.0\.0$/, '')] }
      : {}),
    ...(element.isModifier ? { modifier: true } : {}),
    ...(element.isSummary ? { summary: true } : {}),
    ...(constraints.length > 0 ? { constraints } : {}),
  };
}

function typeText(element: ElementDefinition, typing: Typing): string {
  if (typing.code.startsWith('http://hl7.org/fhirpath/')) return systemType(element, typing);
  if (typing.targetProfile !== undefined) {
    return `${typing.code}(${typing.targetProfile.map(lastSegment).join('|')})`;
  }
  return typing.profile === undefined ? typing.code : `${typing.code}{${typing.profile.map(lastSegment).join('|')}}`;
}

/** The real type of what is published as System.String; ids of elements are strings wherever they are. */
function systemType(element: ElementDefinition, typing: Typing): string {
  if (element.base.path === 'Element.id') return 'string';
  const named = typing.extension?.find((extension) => extension.url === TYPE_EXTENSION)?.valueUrl;
  return named ?? typing.code.replace(/^.*\.(.)/, (_, first: string) => first.toLowerCase());
}

/** The keys of the constraints that this definition itself sets on the element, not those of its base or data type. */
function ownConstraints(definition: Definition, element: ElementDefinition): string[] {
  const isRoot = element.path === definition.type;
  const types = isRoot
    ? [lastSegment(definition.baseDefinition)]
    : ['Element', ...(element.type ?? []).map(({ code }) => code)];
  const inherited = types.map((type) => definition.rootConstraints.get(type ?? ''));
  return [...constraintKeys(element)].filter((key) => !inherited.some((keys) => keys?.has(key)));
}

function ownInvariants(definition: Definition): Record<string, InvariantRow> {
  const invariants: Record<string, InvariantRow> = {};
  for (const element of definition.snapshot.element) {
    const own = new Set(ownConstraints(definition, element));
    for (const { key, severity, human, expression } of element.constraint ?? []) {
      if (!own.has(key)) continue;
      const row = { severity, human, ...(expression === undefined ? {} : { expression }) };
      const known = invariants[key];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(row)) {
        throw new Error(`${definition.type} defines ${key} twice: ${JSON.stringify([known, row])}`);
      }
      invariants[key] = row;
    }
  }
  return invariants;
}

function constraintKeys(element: ElementDefinition | undefined): Set<string> {
  return new Set((element?.constraint ?? []).map(({ key }) => key));
}

function lastSegment(url: string | undefined): string | undefined;
function lastSegment(url: string): string;
function lastSegment(url: string | undefined): string | undefined {
  return url?.slice(url.lastIndexOf('/') + 1);
}

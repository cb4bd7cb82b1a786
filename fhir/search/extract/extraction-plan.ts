// The extraction plan of one resource type, built once: the paths of all parameters as one tree. A resource is walked
// once, an element that several parameters read is converted once, and an absent path costs one lookup.
import type { Branch } from '../parameters/compile-expression.ts';
import { COLUMN_PARAMETERS, type SearchParameter, type SearchParameters } from '../parameters/definitions.ts';
import { passesFilter, prepareWalk, type Step, type Walk } from './branch-values.ts';
import { type DatedCode, datedCode } from './dated-codes.ts';
import { type ParameterKeys, parameterKeys } from './derived-keys.ts';
import { nameKey } from './keys.ts';
import { type Convert, type IndexValue, record } from './values.ts';

/** An element's conversion, and the parameters that index its values. */
interface Conversion {
  readonly convert: Convert;
  readonly codeSystem: string | undefined;
  readonly parameters: ParameterKeys[];
}

interface Edge extends Step {
  readonly to: Node;
}

interface Node {
  readonly edges: Edge[];
  readonly conversions: Conversion[];
}

export interface ExtractionPlan {
  readonly root: Node;
  /** Parameters whose branches depend on each other, or on list indexes: their paths are followed one by one. */
  readonly single: readonly SearchParameter[];
  readonly composites: readonly SearchParameter[];
  /** `near` of Location. */
  readonly positions: readonly SearchParameter[];
  readonly dated: DatedCode | undefined;
  /** Keys of the reference parameters that define a patient's compartment. */
  readonly compartment: ReadonlySet<number>;
  readonly compartmentKey: number;
  readonly namedKey: number;
  readonly isPatient: boolean;
}

/** Name of the index key for the patient's compartment of a resource. */
export const PATIENT_COMPARTMENT = '$patient';
/** Name of the index key for a patient whom a resource names outside the paths of search parameters. */
const NAMED_PATIENT = '$named';

const plans = new WeakMap<ReadonlyMap<string, SearchParameter>, ExtractionPlan>();

/** The plan of a type; built again when its parameters have changed. */
export function extractionPlan(type: string, parameters: SearchParameters): ExtractionPlan {
  const indexed = parameters.indexed(type);
  const known = plans.get(indexed);
  if (known !== undefined) return known;
  const plan = createPlan(type, indexed, parameters);
  plans.set(indexed, plan);
  return plan;
}

function createPlan(
  type: string,
  indexed: ReadonlyMap<string, SearchParameter>,
  parameters: SearchParameters,
): ExtractionPlan {
  const root: Node = { edges: [], conversions: [] };
  const single: SearchParameter[] = [];
  const all = [...indexed.values()].filter(({ code }) => !COLUMN_PARAMETERS.has(code));
  for (const parameter of all) {
    const walks = parameter.branches.map((branch: Branch) => prepareWalk(parameter.type, branch));
    if (walks.every(isFree)) for (const walk of walks) addPath(root, walk, parameter);
    else single.push(parameter);
  }
  const compartment = parameters
    .compartmentParameters('Patient', type)
    .flatMap((code) => parameters.forType(type).get(code)?.key ?? []);
  return {
    root,
    single,
    composites: all.filter(({ groups }) => groups.length > 0),
    positions: all.filter(({ code }) => code === 'near'),
    dated: datedCode(parameters.forType(type)),
    compartment: new Set(compartment),
    compartmentKey: nameKey(`${type}.${PATIENT_COMPARTMENT}`),
    namedKey: nameKey(`${type}.${NAMED_PATIENT}`),
    isPatient: type === 'Patient',
  };
}

/** Whether a path can be followed independently of others. */
function isFree({ steps, isFirstOnly, truth }: Walk): boolean {
  return !isFirstOnly && truth === undefined && steps.every(({ filter }) => filter !== '@');
}

function addPath(root: Node, { steps, convert, codeSystem }: Walk, parameter: SearchParameter): void {
  let node = root;
  for (const step of steps) {
    const known = node.edges.find(
      ({ name, filter, argument }) => name === step.name && filter === step.filter && argument === step.argument,
    );
    const edge = known ?? { ...step, to: { edges: [], conversions: [] } };
    if (known === undefined) node.edges.push(edge);
    node = edge.to;
  }
  const conversion = node.conversions.find((known) => known.convert === convert && known.codeSystem === codeSystem);
  const keys = parameterKeys(parameter);
  if (conversion === undefined) node.conversions.push({ convert, codeSystem, parameters: [keys] });
  else if (!conversion.parameters.includes(keys)) conversion.parameters.push(keys);
}

/** Receives the values of a parameter. */
export type TakeValue = (keys: ParameterKeys, value: IndexValue) => void;

/** Walks an element, beginning with the resource, and passes each value to each parameter that reads it. */
export function walkTree({ edges, conversions }: Node, element: unknown, take: TakeValue): void {
  for (const { convert, codeSystem, parameters } of conversions) {
    for (const value of convert(element, codeSystem)) {
      for (const keys of parameters) take(keys, value);
    }
  }
  if (edges.length === 0) return;
  const members = record(element);
  for (const edge of edges) {
    const value = members[edge.name];
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) follow(edge, value, take);
    else for (const item of value) if (item !== null) follow(edge, item, take);
  }
}

function follow({ filter, argument, to }: Edge, item: unknown, take: TakeValue): void {
  if (filter === '' || passesFilter(record(item), filter, argument)) walkTree(to, item, take);
}

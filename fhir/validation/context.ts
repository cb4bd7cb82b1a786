// The context of one validation: the current place, the issues so far, and the resource within which local references
// resolve.
import type { CodeSelection } from '#fhir/terminology/code-selection.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { Invariant, Shape } from '../definitions/shapes.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ProfileRegistry } from '../profiles/registry.ts';
import type { IssueList } from './issue-list.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The resource in which references such as `#id` resolve; contained resources share their container's scope. */
export interface Scope {
  readonly resource: JsonObject;
  /** Types of the contained resources by id. */
  readonly contained: ReadonlyMap<string, string>;
  /** Ids that some `#id` in this scope refers to. */
  readonly referenced: Set<string>;
  /** Ids of contained resources that refer to their container by `#`. */
  readonly referringOut: Set<string>;
}

/** The time that users' expressions may still take; all validations of one request may share it. */
export interface ExpressionTime {
  leftMs: number;
}

/** The time for users' expressions in one request. */
export const EXPRESSION_MS = 500;

/** The state of checking profiles. */
export interface ProfileState {
  readonly registry: ProfileRegistry;
  /** The outermost resource. */
  readonly root: JsonObject;
  /** The number of values visited so far. */
  steps: number;
  readonly expressions: ExpressionTime;
  /** Whether the issue that their time is over has been added. */
  isOver: boolean;
  /** Whether an object conforms to a profile: results so far. */
  following: Map<JsonObject, Map<Profile, boolean>> | undefined;
  /** The resources of the outermost bundle to which references may resolve. */
  bundled: ReadonlyMap<string, JsonObject> | undefined;
}

/** Value sets and code systems other than R5's own. */
export interface ValueSetLookup {
  /**
   * The codes of a value set, by the canonical of the binding. A text says why they are not known; undefined when the
   * set was not looked up.
   */
  readonly find: (canonical: string) => CodeSelection | string | undefined;
  /** Whether some known version of a code system has the code: users may store other editions of HL7's code systems. */
  readonly hasCode: (system: string, code: string) => boolean;
}

/** A value set lookup that computes some codes in steps. */
export interface ComputedValueSets extends ValueSetLookup {
  /**
   * Resolves when the codes of a value set that is being computed are known, or are found too costly. Undefined when
   * the value set is not being computed. Until then `find` reports that it takes too long.
   */
  readonly underWay: (canonical: string) => Promise<void> | undefined;
}

/** The arguments of FHIRPath's `slice()`. */
export interface SliceQuestion {
  /** The canonical URL of the profile, and the name of one of its slices. */
  readonly structure: string;
  readonly slice: string;
  /** The place of the value in the resource, without indexes: `Observation.component`. */
  readonly path: string;
  readonly value: unknown;
}

/** The element that carries extensions. */
export interface ExtensionHost {
  /** Its path in the definitions: `Patient`, `HumanName.family`, `Observation.value[x]`. */
  readonly path: string;
  readonly type: string;
  /** The path of its value's shape: `Questionnaire.item` for `Questionnaire.item.item`. */
  readonly shape: string;
}

export interface ValidationContext {
  readonly definitions: Definitions;
  readonly issues: IssueList;
  /** Names and indexes down to the current place; the first is the type of the outermost resource. */
  readonly path: (string | number)[];
  /** The scope in which `#id` resolves here. */
  scope: Scope;
  /** The innermost resource, contained or not: FHIRPath's %resource. */
  resource: JsonObject;
  /** Types of the resources in the outermost bundle, by their full URLs. */
  readonly fullUrls: ReadonlyMap<string, string>;
  /** Whether references may be searches (`Patient?identifier=…`): within a batch or transaction. */
  readonly allowsConditionalReferences: boolean;
  /** Ids of elements met so far in the innermost resource. */
  elementIds: Set<string> | undefined;
  /** Id of the contained resource that is being walked. */
  containedId: string | undefined;
  readonly profiles: ProfileState;
  /** The value sets to which users' profiles bind elements. */
  readonly valueSets: ValueSetLookup;
  /** Checks a resource against the profiles that it claims in `meta.profile`. */
  readonly checkClaims: (context: ValidationContext, resource: JsonObject) => void;
  /** Checks extensions against their definitions. */
  readonly checkExtensions: (context: ValidationContext, host: ExtensionHost, value: JsonObject) => void;
  /** FHIRPath's `slice()`; a message when the result is not known. */
  readonly isInSlice: (context: ValidationContext, question: SliceQuestion) => boolean | string;
  /** The walk over an object, for callees that continue it. */
  readonly walkObject: (context: ValidationContext, shape: Shape, value: JsonObject) => void;
}

/** The current place as a FHIRPath expression: `Patient.name[0].given[1]`. */
export function currentPath(context: ValidationContext): string {
  let text = '';
  for (const step of context.path) {
    text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  }
  return text;
}

/** Adds an error at the current place, or at one of its elements; the message begins with the place. */
export function addIssue(context: ValidationContext, issue: string, message: string, element?: string): void {
  const place = currentPath(context);
  const field = element === undefined ? place : `${place}.${element}`;
  context.issues.add({ message: `${field} ${message}`, field, code: issue });
}

/** Adds a warning at the current place, or at one of its elements. */
export function addWarning(context: ValidationContext, issue: string, message: string, element?: string): void {
  const place = currentPath(context);
  const field = element === undefined ? place : `${place}.${element}`;
  context.issues.add({ message: `${field} ${message}`, field, code: issue, severity: 'warning' });
}

/** Adds an error for an invariant that does not hold at the current place. */
export function addBrokenInvariant(
  context: ValidationContext,
  invariant: Pick<Invariant, 'key' | 'human' | 'severity'>,
): void {
  const field = currentPath(context);
  const message = `${field}: ${invariant.human} (${invariant.key})`;
  context.issues.add({ message, field, code: 'invariant', severity: invariant.severity });
}

/** Whether the value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

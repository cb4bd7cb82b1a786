// What one validation carries along: the place it is at, the errors so far, and the resource that local references
// point within.
import type { CodeSelection } from '#fhir/terminology/code-selection.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { Invariant, Shape } from '../definitions/shapes.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ProfileRegistry } from '../profiles/registry.ts';
import type { IssueList } from './issue-list.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** One resource that references such as `#id` are local to; contained resources share their container's. */
export interface Scope {
  readonly resource: JsonObject;
  /** Types of the contained resources by id. */
  readonly contained: ReadonlyMap<string, string>;
  /** Ids that some `#id` in this scope names. */
  readonly referenced: Set<string>;
  /** Ids of contained resources that refer to their container by `#`. */
  readonly referringOut: Set<string>;
}

/** Time that the expressions of users may still take; all validations of one request may share it. */
export interface ExpressionTime {
  leftMs: number;
}

/** For the expressions of users in one request. */
export const EXPRESSION_MS = 500;

/** What checking profiles needs and finds out on the way. */
export interface ProfileState {
  readonly registry: ProfileRegistry;
  /** The outermost resource. */
  readonly root: JsonObject;
  /** Values looked at so far. */
  steps: number;
  readonly expressions: ExpressionTime;
  /** Whether it has been said that their time is over. */
  isOver: boolean;
  /** Whether an object follows a profile. */
  following: Map<JsonObject, Map<Profile, boolean>> | undefined;
  /** The resources of the outermost bundle that references may mean. */
  bundled: ReadonlyMap<string, JsonObject> | undefined;
}

/** Terminology beside R5's own. */
export interface ValueSetLookup {
  /**
   * By the canonical as it stands in the binding; a text tells why the codes are not known; undefined when nobody has
   * looked.
   */
  readonly find: (canonical: string) => CodeSelection | string | undefined;
  /**
   * Whether some version of a code system that is known has the code: users store other editions of what HL7 publishes.
   */
  readonly hasCode: (system: string, code: string) => boolean;
}

/** One that computes some of its codes in steps. */
export interface ComputedValueSets extends ValueSetLookup {
  /**
   * Resolves when the codes of a value set that is being computed are known, or known to be too costly; undefined where
   * it is not. Until then `find` tells that it takes too long.
   */
  readonly underWay: (canonical: string) => Promise<void> | undefined;
}

/** What FHIRPath's `slice()` asks. */
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
  /** As in the definitions: `Patient`, `HumanName.family`, `Observation.value[x]`. */
  readonly path: string;
  readonly type: string;
  /** The path of what it holds: of `Questionnaire.item.item` that is `Questionnaire.item`. */
  readonly shape: string;
}

export interface ValidationContext {
  readonly definitions: Definitions;
  readonly issues: IssueList;
  /** Names and indexes down to the current place; the first is the type of the outermost resource. */
  readonly path: (string | number)[];
  /** What `#id` means here. */
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
  /** What users' profiles are bound to. */
  readonly valueSets: ValueSetLookup;
  /** Checks a resource against the profiles that it claims in `meta.profile`. */
  readonly checkClaims: (context: ValidationContext, resource: JsonObject) => void;
  /** Checks extensions against their definitions. */
  readonly checkExtensions: (context: ValidationContext, host: ExtensionHost, value: JsonObject) => void;
  /** FHIRPath's `slice()`; words when nobody can tell. */
  readonly isInSlice: (context: ValidationContext, question: SliceQuestion) => boolean | string;
  /** The walk itself, for what it calls to go on with. */
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

/** Notes an error at the current place, or at one of its elements; the message is led by the place. */
export function addIssue(context: ValidationContext, issue: string, message: string, element?: string): void {
  const place = currentPath(context);
  const field = element === undefined ? place : `${place}.${element}`;
  context.issues.add({ message: `${field} ${message}`, field, code: issue });
}

/** Notes what should be otherwise at the current place, or at one of its elements, and is let pass. */
export function addWarning(context: ValidationContext, issue: string, message: string, element?: string): void {
  const place = currentPath(context);
  const field = element === undefined ? place : `${place}.${element}`;
  context.issues.add({ message: `${field} ${message}`, field, code: issue, severity: 'warning' });
}

/** Notes that an invariant does not hold at the current place. */
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

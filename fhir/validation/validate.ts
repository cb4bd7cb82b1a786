// Validates a resource against the base definitions of FHIR R5 (decision E3). It checks structure, cardinality,
// primitive formats, required bindings, references, contained resources and invariants, all issues in one result.
// docs/adr/0003 describes the tables.
import type { Issue } from '#lib/errors.ts';
import { type Definitions, r5Definitions } from '../definitions/definitions.ts';
import { jsonTypeName } from '../primitives/primitives.ts';
import { checkClaims, checkNamedProfiles } from '../profiles/claims.ts';
import { checkExtensions } from '../profiles/extensions.ts';
import { type ProfileRegistry, r5Profiles } from '../profiles/registry.ts';
import { isInSlice } from '../profiles/slice-function.ts';
import {
  addIssue,
  EXPRESSION_MS,
  type ExpressionTime,
  isJsonObject,
  type JsonObject,
  type ValidationContext,
  type ValueSetLookup,
} from './context.ts';
import { EnoughIssues, IssueList, type MAX_ISSUES } from './issue-list.ts';
import { NO_VALUE_SETS } from './known-codes.ts';
import { fullUrlsOf, resourceShape, scopeOf, walkAsRoot } from './resources.ts';
import { checkForm } from './rules/form-rules.ts';
import { walkObject } from './walk.ts';

export interface ValidateOptions {
  /** The type that the resource must have: that of the request's path. */
  readonly resourceType?: string;
  readonly definitions?: Definitions;
  /** The known profiles; the official ones when left out. */
  readonly profiles?: ProfileRegistry;
  /** Canonical URLs of profiles that the resource must follow besides those it claims. */
  readonly follows?: readonly string[];
  /** The value sets to which users' profiles bind elements; none when left out. */
  readonly valueSets?: ValueSetLookup;
  /** Time for users' expressions, in milliseconds; the time used is subtracted. */
  readonly expressions?: ExpressionTime;
}

/**
 * The errors of a parsed resource, at most {@link MAX_ISSUES}; none means that it is valid. `field` is a FHIRPath
 * expression, `issue` FHIR's issue-type code; errors with severity `warning` need not refuse the resource. Messages
 * hold no values of the resource.
 */
export function validateResource(resource: unknown, options: ValidateOptions = {}): Issue[] {
  if (!isJsonObject(resource)) {
    return [{ message: `A resource must be a JSON object, not ${jsonTypeName(resource)}`, code: 'structure' }];
  }
  const { resourceType } = resource;
  const context: ValidationContext = {
    definitions: options.definitions ?? r5Definitions(),
    issues: new IssueList(),
    path: [typeof resourceType === 'string' && /^[A-Za-z]+$/.test(resourceType) ? resourceType : 'Resource'],
    scope: scopeOf(resource),
    resource,
    fullUrls: fullUrlsOf(resource),
    allowsConditionalReferences: isChangeSet(resource),
    elementIds: undefined,
    containedId: undefined,
    profiles: {
      registry: options.profiles ?? r5Profiles(),
      root: resource,
      steps: 0,
      expressions: options.expressions ?? { leftMs: EXPRESSION_MS },
      isOver: false,
      following: undefined,
      bundled: undefined,
    },
    valueSets: options.valueSets ?? NO_VALUE_SETS,
    checkClaims,
    checkExtensions,
    isInSlice,
    walkObject,
  };
  try {
    checkAll(context, resource, options);
  } catch (error) {
    if (!(error instanceof EnoughIssues)) throw error;
  }
  return context.issues.all();
}

function checkAll(context: ValidationContext, resource: JsonObject, { resourceType, follows }: ValidateOptions): void {
  const shape = resourceShape(context, resource);
  if (resourceType !== undefined && resource['resourceType'] !== resourceType) {
    addIssue(context, 'value', `must be ${resourceType}`, 'resourceType');
  }
  if (shape !== undefined) walkAsRoot(context, shape, resource);
  if (resource['resourceType'] === 'Questionnaire') checkForm(context, resource);
  if (shape !== undefined && follows !== undefined) checkNamedProfiles(context, follows, resource);
}

/** Whether some issue is an error, so that the resource must be refused. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === undefined || severity === 'error');
}

function isChangeSet({ resourceType, type }: Readonly<Record<string, unknown>>): boolean {
  return resourceType === 'Bundle' && (type === 'transaction' || type === 'batch');
}

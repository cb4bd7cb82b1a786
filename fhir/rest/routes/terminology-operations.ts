// The routes of the terminology operations (decision E5; hl7.org/fhir/R5/terminology-service.html): GET and POST, for a
// type and for one resource by its id.

import type { ResourceText } from '#fhir/resources/resource-text.ts';
import { finished, UnfinishedWork } from '#fhir/terminology/content/unfinished.ts';
import { type Json, objects } from '#fhir/terminology/json.ts';
import type { OperationTarget } from '#fhir/terminology/operations/context.ts';
import { Inputs } from '#fhir/terminology/operations/inputs.ts';
import { refuseUnknown, unknownNames, withIgnored } from '#fhir/terminology/operations/parameter-names.ts';
import { errorOfInputs } from '#fhir/terminology/operations/reported-issues.ts';
import { type TerminologyOperation, writtenBy } from '#fhir/terminology/operations/service.ts';
import { TerminologyError } from '#fhir/terminology/terminology-error.ts';
import type { Permission } from '#lib/auth/permissions.ts';
import { requireType } from '../http/content.ts';
import type { FhirTypeOptions, ServedOperation } from '../options.ts';

/**
 * The operations of the types that are served. `permissions` has those of operations that need another permission than
 * reading the type, by address (`ValueSet/$expand`).
 */
export function terminologyOperations(
  types: readonly FhirTypeOptions[],
  operations: readonly TerminologyOperation[],
  permissions: Readonly<Record<string, Permission>> = {},
): ServedOperation[] {
  return operations.flatMap((operation) => {
    const type = types.find((each) => each.type === operation.type);
    if (type === undefined) return [];
    const ofType = served(type, operation);
    const own = permissions[`${type.type}/$${operation.name}`];
    const first = own === undefined ? ofType : { ...ofType, permission: own, isOwnPermission: true };
    return operation.isOfInstance ? [first, { ...ofType, isOfInstance: true }] : [first];
  });
}

function served(type: FhirTypeOptions, operation: TerminologyOperation): ServedOperation {
  return {
    name: operation.name,
    type,
    isOfInstance: false,
    methods: ['GET', 'POST'],
    summary: operation.summary,
    permission: type.read,
    interaction: 'read',
    state: operation.state,
    runNow: (query, acceptLanguage) => {
      const inputs = Inputs.ofQueryText(query);
      if (inputs === undefined || unknownNames(inputs, operation).length > 0) return undefined;
      const text = writtenBy(operation, inputs, { id: undefined, acceptLanguage });
      return inputs.issues.length === 0 ? text : undefined;
    },
    run: async ({ query, acceptLanguage, preferences }, { id, body, thrown }) => {
      const target = { id: id === '' ? undefined : id, acceptLanguage };
      const inputs = readInputs(query, body, operation);
      const unknown = unknownNames(inputs, operation);
      const isLenient = preferences.asked.some(([name, value]) => name === 'handling' && value === 'lenient');
      if (!isLenient) refuseUnknown(inputs, operation, unknown);
      const begun = thrown instanceof UnfinishedWork ? thrown : undefined;
      const answer = await run(operation, inputs, { target, begun, unknown });
      return { status: 200, text: JSON.stringify(withIgnored(answer, unknown)) };
    },
  };
}

/**
 * The parameters of the body, followed by those of the query.
 * @throws ServiceError `invalid_request` for a resource that it does not take
 */
function readInputs(
  query: URLSearchParams,
  body: ResourceText | undefined,
  { type, resourceInput: name }: TerminologyOperation,
): Inputs {
  if (body === undefined) return Inputs.ofQuery(query);
  const isItself = name !== undefined && body.resourceType === type;
  if (!isItself) requireType(body, 'Parameters');
  const parameters = isItself ? [{ name, resource: body.resource }] : objects(body.resource['parameter']);
  return query.size === 0 ? new Inputs(parameters) : Inputs.ofQuery(query).after(parameters);
}

interface Run {
  readonly target: OperationTarget;
  readonly begun: UnfinishedWork | undefined;
  /** Names of parameters that the operation does not take. */
  readonly unknown: readonly string[];
}

/** Errors in the request's own parameters come before errors of the operation. */
async function run(operation: TerminologyOperation, inputs: Inputs, { target, begun, unknown }: Run): Promise<Json> {
  try {
    const answer = await finished(() => operation.run(inputs, target), begun);
    if (inputs.issues.length === 0) return answer;
  } catch (error) {
    if (!(error instanceof TerminologyError)) throw error;
    // What is missing may be there under a misspelt name, which lenient handling has ignored so far.
    if (error.issue === 'required') refuseUnknown(inputs, operation, unknown);
    throw errorOfInputs(inputs, error);
  }
  throw errorOfInputs(inputs, undefined);
}

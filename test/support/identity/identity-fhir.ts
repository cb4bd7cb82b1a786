// Calls to identity's FHIR addresses. Every response with a body must be FHIR JSON that the repository's validator
// accepts.
import assert from 'node:assert/strict';
import type { Bundle, OperationOutcome, Resource } from 'fhir/r5.js';
import { validateResource } from '#fhir/validation/validate.ts';
import type { Identity } from './identity.ts';
import { nextEmail } from './identity-people.ts';

export interface FhirResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The returned resource. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly body: any;
}

export interface FhirRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as FHIR JSON when it is an object. */
  readonly body?: object | string;
}

export type AskFhir = (path: string, request?: FhirRequest) => Promise<FhirResponse>;

/** Sends a request below /fhir. */
export function fhirOf({ app }: Identity): AskFhir {
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const type: Record<string, string> = typeof body === 'object' ? { 'content-type': 'application/fhir+json' } : {};
    const answer = await app.inject({
      method,
      url: `/fhir${path}`,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { payload: typeof body === 'object' ? JSON.stringify(body) : body }),
    });
    const { statusCode: status, body: text } = answer;
    if (text === '') return { status, headers: answer.headers, text, body: undefined };
    assert.match(String(answer.headers['content-type']), /^application\/(fhir\+)?json/, `${path}: ${text}`);
    const resource: unknown = JSON.parse(text);
    assert.deepEqual(validateResource(resource), [], `${path}: ${text}`);
    return { status, headers: answer.headers, text, body: resource };
  };
}

/** Status, our code and FHIR's of an OperationOutcome. */
export function refusalOf(answer: FhirResponse): [status: number, code: string | undefined, issue: string | undefined] {
  const outcome: OperationOutcome = answer.body;
  assert.equal(outcome.resourceType, 'OperationOutcome', answer.text);
  const [issue] = outcome.issue;
  return [answer.status, issue?.details?.coding?.[0]?.code, issue?.code];
}

/** The expressions that an OperationOutcome names. */
export function placesOf(answer: FhirResponse): string[] {
  const outcome: OperationOutcome = answer.body;
  return outcome.issue.flatMap(({ expression = [] }) => expression).sort();
}

/** The resources of a searchset. */
export function foundIn(answer: FhirResponse): Resource[] {
  const bundle: Bundle = answer.body;
  assert.deepEqual([answer.status, bundle.type], [200, 'searchset'], answer.text);
  return (bundle.entry ?? []).flatMap(({ resource }) => resource ?? []);
}

/** The path of the next page, below /fhir; undefined on the last. */
export function nextOf(answer: FhirResponse, baseUrl: string): string | undefined {
  const bundle: Bundle = answer.body;
  return bundle.link?.find(({ relation }) => relation === 'next')?.url.slice(`${baseUrl}/fhir`.length);
}

/** A Group that an SU admin may create. */
export function groupResource(name: string, code = 'team') {
  return {
    resourceType: 'Group',
    type: 'practitioner',
    membership: 'enumerated',
    code: { coding: [{ system: 'https://kedja.dev/codes/group-type', code }] },
    name,
  };
}

/** A Practitioner that an SU admin may create. */
export function practitionerResource(email: string = nextEmail()) {
  return {
    resourceType: 'Practitioner',
    name: [{ family: 'Dahl', given: ['Cecilia'] }],
    telecom: [{ system: 'email', value: email }],
  };
}

/** A Patient that an SU admin may create. */
export function patientResource(of: { personnummer: string; organisation: string; email?: string }) {
  return {
    resourceType: 'Patient',
    identifier: [{ system: 'urn:oid:1.2.752.129.2.1.3.1', value: of.personnummer }],
    telecom: [{ system: 'email', value: of.email ?? nextEmail() }],
    managingOrganization: { reference: `Organization/${of.organisation}` },
  };
}

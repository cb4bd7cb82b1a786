// Builds the FHIR R5 AuditEvent of one access to a person's data (decision G9; hl7.org/fhir/R5/auditevent.html).

import { LOCAL_ORGANISATION } from '../auth/data-scope.ts';
import { type Actor, principalReference } from '../auth/principal.ts';

/** AuditEvent.action: create, read, update, delete, execute (valueset-audit-event-action). */
export type AuditAction = 'C' | 'R' | 'U' | 'D' | 'E';

export interface AuditEntry {
  readonly action: AuditAction;
  /** What was done, in our own vocabulary: `patient.read`, `consent.decision`, `user.sign-in` … */
  readonly event: string;
  /** Who did it; undefined for one who could not be identified. */
  readonly principal: Actor | undefined;
  /** Whose data it was. */
  readonly patientGuid?: string;
  /** The caller's organisations for which it was done; the caller's first when left out. */
  readonly organisationGuids?: readonly string[];
  /** Whose account it was about (`user_guid`), if it was about one. */
  readonly subjectGuid?: string | undefined;
  /**
   * The entities of the event: FHIR references (`Observation/…`), identifiers of our own records (`delivery/…`), or for
   * searches the type alone.
   */
  readonly entities?: readonly string[];
  /** `failure` for a refused sign-in or a decision that denied. */
  readonly outcome?: 'success' | 'failure';
  /** A short reason; never personal data. */
  readonly detail?: string | undefined;
  /** The client's address. */
  readonly address?: string;
  readonly requestId?: string;
}

/** The code system of our own events. */
export const EVENT_SYSTEM = 'https://kedja.dev/codes/audit-event';
/** The prefix of `source.observer` for our own events, before the service's name. */
export const OBSERVER_PREFIX = 'kedja-';
const SUBTYPE_SYSTEM = 'http://hl7.org/fhir/restful-interaction';
const OUTCOME_SYSTEM = 'http://hl7.org/fhir/issue-severity';
const REQUEST_SYSTEM = 'https://kedja.dev/ids/http-request';
/** The identifier system of identity's users who are neither Practitioner nor Patient. */
const USER_SYSTEM = 'https://kedja.dev/ids/identity-user';
const ORGANISATION_SYSTEM = 'https://kedja.dev/ids/organisation';
const PROVIDER_SYSTEM = 'https://kedja.dev/ids/provider';
/** The agent type of the care unit for which the caller acted (HL7 v3 RoleClass). */
const CARE_UNIT = {
  coding: [
    { system: 'http://terminology.hl7.org/CodeSystem/v3-RoleClass', code: 'PROV', display: 'healthcare provider' },
  ],
};
/** The code of the agent type of the patient for whom a proxy acted (docs/adr/0074; HL7 v3 ParticipationType). */
export const PROXIED_PATIENT = 'SBJ';
const PROXIED = {
  coding: [
    {
      system: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
      code: PROXIED_PATIENT,
      display: 'subject',
    },
  ],
};
const ACCOUNT_ROLE = {
  coding: [
    { system: 'http://terminology.hl7.org/CodeSystem/object-role', code: '11', display: 'Security User Entity' },
  ],
};
const REST_CATEGORY = {
  coding: [
    { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest', display: 'RESTful Operation' },
  ],
};
const INTERACTIONS: Readonly<Record<AuditAction, string>> = {
  C: 'create',
  R: 'read',
  U: 'update',
  D: 'delete',
  E: 'operation',
};

/** The recording service in `source.observer` of an event. */
export function observerName(service: string): string {
  return `${OBSERVER_PREFIX}${service}`;
}

/** The AuditEvent resource; `service` names the recording service, `recordedAt` is in milliseconds. */
export function buildAuditEvent(guid: string, service: string, recordedAt: number, entry: AuditEntry): object {
  const { principal } = entry;
  const who = principal === undefined ? { display: 'unknown' } : reference(principal);
  const isFailure = entry.outcome === 'failure';
  return {
    resourceType: 'AuditEvent',
    id: guid,
    category: [REST_CATEGORY, { coding: [{ system: SUBTYPE_SYSTEM, code: INTERACTIONS[entry.action] }] }],
    code: { coding: [{ system: EVENT_SYSTEM, code: entry.event }] },
    action: entry.action,
    severity: isFailure ? 'warning' : 'informational',
    recorded: new Date(recordedAt).toISOString(),
    outcome: {
      code: { system: OUTCOME_SYSTEM, code: isFailure ? 'error' : 'success' },
      ...(entry.detail === undefined ? {} : { detail: [{ text: entry.detail }] }),
    },
    ...(entry.patientGuid === undefined ? {} : { patient: { reference: `Patient/${entry.patientGuid}` } }),
    agent: [
      {
        who,
        requestor: true,
        ...(principal === undefined ? {} : { role: [...principal.roles].map((role) => ({ text: role })) }),
        ...(entry.address === undefined ? {} : { networkString: entry.address }),
      },
      ...careUnitsOf(entry).map((who) => ({ type: CARE_UNIT, who, requestor: false })),
      ...(principal?.proxy === undefined ? [] : [{ type: PROXIED, who: patientOf(principal), requestor: false }]),
    ],
    source: { observer: { display: observerName(service) } },
    ...entitiesOf(entry),
  };
}

/**
 * The care units for which the caller acted: Swedish access logs name the unit beside the person. Patients and Kedja's
 * own services act for none. The engine's own users and keys act for the engine itself, or for their provider.
 */
function careUnitsOf({ principal, organisationGuids }: AuditEntry): object[] {
  if (principal === undefined || principal.patientGuid !== undefined) return [];
  if (principal.providerGuid !== undefined)
    return [{ identifier: { system: PROVIDER_SYSTEM, value: principal.providerGuid } }];
  const isLocal = principal.kind === 'api_key' && principal.organisationGuids?.[0] === undefined;
  if (isLocal || principal.kind === 'engine_user')
    return [{ identifier: { system: ORGANISATION_SYSTEM, value: LOCAL_ORGANISATION } }];
  const units = organisationGuids ?? principal.organisationGuids?.slice(0, 1) ?? [];
  return units.map((guid) => ({ reference: `Organization/${guid}` }));
}

/**
 * The caller's reference, with the account: the Practitioner or Patient of a user is forgotten when the user is
 * deleted.
 */
function reference(principal: Actor): object {
  const known = principalReference(principal);
  return principal.kind === 'identity_user' ? { ...known, identifier: userIdentifier(principal.id) } : known;
}

function patientOf({ patientGuid }: Actor): object {
  return { reference: `Patient/${patientGuid}` };
}

function userIdentifier(userGuid: string): object {
  return { system: USER_SYSTEM, value: userGuid };
}

function entitiesOf(entry: AuditEntry): object {
  const account =
    entry.subjectGuid === undefined
      ? []
      : [{ what: { identifier: userIdentifier(entry.subjectGuid) }, role: ACCOUNT_ROLE }];
  const touched = (entry.entities ?? []).map((name) => ({ what: referenceTo(name) }));
  const request =
    entry.requestId === undefined ? [] : [{ what: { identifier: { system: REQUEST_SYSTEM, value: entry.requestId } } }];
  const entities = [...account, ...touched, ...request];
  return entities.length === 0 ? {} : { entity: entities };
}

/**
 * A FHIR reference: resource types begin with a capital letter, our own kinds do not
 * (hl7.org/fhir/R5/datatypes.html#id).
 */
const REFERENCE = /^[A-Z][A-Za-z]*\/[A-Za-z0-9.-]{1,64}$/;

/**
 * `Observation/…` becomes a FHIR reference, `delivery/…` (no resource) an identifier of that kind, and a kind alone its
 * name.
 */
function referenceTo(name: string): object {
  const [kind = '', id] = name.split(/[/:](.*)/s, 2);
  if (id === undefined || id === '') return { display: kind };
  return REFERENCE.test(name)
    ? { reference: name }
    : { identifier: { system: `https://kedja.dev/ids/${kind}`, value: id } };
}

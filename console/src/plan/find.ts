// What a planner finds by the palette. That is patients and their requests, requests by their title, plans, forms, and
// providers with what was sent to them, and what an id stands for.
import type { CarePlan, Patient, PlanDefinition, Questionnaire, ServiceRequest } from 'fhir/r5';
import { dispatch, identity, read } from '../api/clients.ts';
import { searchFhir } from '../api/fhir.ts';
import { searchValue } from '../api/search-value.ts';
import { nameOf } from '../clinical/patient-name.ts';
import { dayText } from '../i18n/format.ts';
import { type Find, type Found, foundBy, idIn, MOST_FOUND } from '../palette/found.ts';
import { findProviders } from '../shared/find-providers.ts';
import { soughtIn } from './patients/patient.ts';
import { mayPlan } from './rights.ts';

/** Patients whose requests are found, too. */
const MOST_WITH_REQUESTS = 2;
const COUNT = { _count: String(MOST_FOUND) } as const;

export const findAsPlanner: Find = async (text, signal, me) => {
  const id = idIn(text);
  if (id !== undefined) return findById(id, signal);
  const sought = soughtIn(text);
  if (sought?.kind === 'number') return findByNumber(sought.number, signal);
  const by = sought?.kind === 'birthDate' ? { birthdate: sought.date } : { name: searchValue(text) };
  return foundBy([
    findPatients(by, signal),
    findRequests(text, signal),
    ...(mayPlan(me) ? fromLibrary(text, signal) : []),
    findProviders(text, signal, (guid) => ({ to: '/plan/requests', search: { provider_guid: guid } })),
  ]);
};

function fromLibrary(text: string, signal: AbortSignal): Promise<Found[]>[] {
  const by = { 'title:contains': searchValue(text) };
  return [findPlans({ ...by, status: 'active' }, signal), findForms(by, signal)];
}

type Parameters = Readonly<Record<string, string>>;

/** Patients, and what was asked for the first of them lately. */
async function findPatients(by: Parameters, signal: AbortSignal): Promise<Found[]> {
  const patients = await searchFhir<Patient>('dispatch', 'Patient', { ...by, ...COUNT, _sort: 'family' }, signal);
  const requests = patients.slice(0, MOST_WITH_REQUESTS).map((patient) => requestsOf(patient, signal));
  return [...patients.map(toPatient), ...(await foundBy(requests))];
}

async function requestsOf(patient: Patient, signal: AbortSignal): Promise<Found[]> {
  const query = { patient_guid: patient.id ?? '', per_page: MOST_FOUND };
  const { data } = await read(dispatch.GET('/api/v1/worklist', { params: { query }, signal }));
  return data.map(({ service_request_id: id, title, updated_at: changed }) => ({
    kind: 'request',
    id,
    label: title ?? nameOf(patient),
    // Without a title the patient's name is the label already.
    detail: title === null ? dayText(changed) : `${nameOf(patient)}, ${dayText(changed)}`,
    to: `/plan/requests/${id}`,
  }));
}

/** Those whose title has each of the words; the title is in the code of a request. */
async function findRequests(text: string, signal: AbortSignal): Promise<Found[]> {
  const query = { 'code-concept:text-advanced': searchValue(text), ...COUNT, _sort: '-_lastUpdated' };
  return toRequests(await searchFhir<ServiceRequest>('dispatch', 'ServiceRequest', query, signal), signal);
}

async function findRequest(id: string, signal: AbortSignal): Promise<Found[]> {
  return toRequests(await searchFhir<ServiceRequest>('dispatch', 'ServiceRequest', { _id: id }, signal), signal);
}

/** With the names of their patients. */
async function toRequests(requests: readonly ServiceRequest[], signal: AbortSignal): Promise<Found[]> {
  if (requests.length === 0) return [];
  const ids = [...new Set(requests.map(patientOf))];
  const query = { _id: ids.join(','), _count: String(ids.length) };
  const patients = await searchFhir<Patient>('dispatch', 'Patient', query, signal);
  const names = new Map(patients.map((patient) => [patient.id, nameOf(patient)]));
  return requests.map((request) => {
    const { id = '', code, meta } = request;
    const name = names.get(patientOf(request));
    const changed = meta?.lastUpdated === undefined ? [] : [dayText(meta.lastUpdated)];
    return {
      kind: 'request',
      id,
      label: code?.concept?.text ?? name ?? id,
      detail: [...(name === undefined ? [] : [name]), ...changed].join(', '),
      to: `/plan/requests/${id}`,
    };
  });
}

function patientOf({ subject }: ServiceRequest): string {
  return (subject.reference ?? '').replace('Patient/', '');
}

interface Titled<Definition extends PlanDefinition | Questionnaire> {
  readonly type: Definition['resourceType'];
  readonly kind: Found['kind'];
  /** The address below which each has its screen. */
  readonly root: string;
}

/** Definitions by their title. */
async function findTitled<Definition extends PlanDefinition | Questionnaire>(
  { type, kind, root }: Titled<Definition>,
  by: Parameters,
  signal: AbortSignal,
): Promise<Found[]> {
  const query = { ...by, ...COUNT, _sort: 'title', _elements: 'title,name' };
  const found = await searchFhir<Definition>('engine', type, query, signal);
  return found.map(({ id = '', title, name }) => ({ kind, id, label: title ?? name ?? id, to: `${root}/${id}` }));
}

function findPlans(by: Parameters, signal: AbortSignal): Promise<Found[]> {
  const plans = { type: 'PlanDefinition', kind: 'plan', root: '/plan/library/plans' } as const;
  return findTitled<PlanDefinition>(plans, by, signal);
}

function findForms(by: Parameters, signal: AbortSignal): Promise<Found[]> {
  const forms = { type: 'Questionnaire', kind: 'form', root: '/plan/forms' } as const;
  return findTitled<Questionnaire>(forms, by, signal);
}

async function findById(id: string, signal: AbortSignal): Promise<Found[]> {
  const by = { _id: id };
  const carePlans = async () => {
    const found = await searchFhir<CarePlan>('dispatch', 'CarePlan', by, signal);
    return found.map(
      ({ title, subject }): Found => ({
        kind: 'carePlan',
        id,
        label: title ?? id,
        to: `/plan/patients/${(subject.reference ?? '').replace('Patient/', '')}/plans`,
      }),
    );
  };
  return foundBy([
    findPatients(by, signal),
    findRequest(id, signal),
    carePlans(),
    findPlans(by, signal),
    findForms(by, signal),
  ]);
}

/** The look-up is on record, so it is made for a whole number alone. */
async function findByNumber(personnummer: string, signal: AbortSignal): Promise<Found[]> {
  const { data } = await identity.POST('/api/patients/lookup', { body: { personnummer }, signal });
  const found = (data?.records ?? []).filter(({ service }) => service === 'dispatch').map(({ id }) => id);
  return found.length === 0 ? [] : findPatients({ _id: found.join(',') }, signal);
}

function toPatient(patient: Patient): Found {
  const { id = '', birthDate } = patient;
  return { kind: 'patient', id, label: nameOf(patient) || id, detail: birthDate, to: `/plan/patients/${id}` };
}

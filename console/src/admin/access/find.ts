// What the fields of an access check offer: people, keys and providers by name; patients and their requests.
import type { Patient } from 'fhir/r5';
import { dispatch, engine, identity, read } from '../../api/clients.ts';
import { searchFhir } from '../../api/fhir.ts';
import { searchValue } from '../../api/search-value.ts';
import { nameOf as patientName } from '../../clinical/patient-name.ts';
import { dayText } from '../../i18n/format.ts';
import { soughtIn } from '../../plan/patients/patient.ts';
import type { Choice } from '../../shared/type-ahead.tsx';
import { nameOf } from '../person.ts';
import { type CallerKind, SERVICES } from './queries.ts';

const MOST = 8;
/** Patients whose requests are offered. */
const MOST_WITH_REQUESTS = 3;

export async function findCallers(kind: CallerKind, text: string, signal: AbortSignal): Promise<Choice<string>[]> {
  const query = { ...(text === '' ? {} : { search: text.slice(0, 200) }), per_page: MOST };
  if (kind === 'user') {
    const { data } = await read(identity.GET('/api/admin/user-search', { params: { query }, signal }));
    return data.map((user) => choice(user.user_guid, nameOf(user), user.email ?? ''));
  }
  if (kind === 'provider') {
    const { data } = await read(engine.GET('/api/v1/providers', { params: { query }, signal }));
    return data.map(({ provider_guid: guid, name, region }) => choice(guid, name, region));
  }
  const { data } = await read(engine.GET('/api/v1/api-keys', { params: { query: { per_page: 100 } }, signal }));
  const isMeant = ({ name }: { readonly name: string }) => name.toLocaleLowerCase().includes(text.toLocaleLowerCase());
  return data
    .filter(isMeant)
    .slice(0, MOST)
    .map(({ key_guid: guid, name, prefix }) => choice(guid, name, `${prefix}…`));
}

function choice(key: string, label: string, detail?: string): Choice<string> {
  return { key, label, detail, value: key };
}

/** Patients of either service, each once. */
export async function findPatients(text: string, signal: AbortSignal): Promise<Choice<string>[]> {
  const found = await Promise.all(SERVICES.map((service) => patientsOf(service, text, signal)));
  const byId = new Map(found.flat().map((patient) => [patient.id ?? '', patient]));
  return [...byId].slice(0, MOST).map(([id, patient]) => choice(id, patientName(patient) || id, patient.birthDate));
}

function patientsOf(service: (typeof SERVICES)[number], text: string, signal: AbortSignal): Promise<Patient[]> {
  const sought = soughtIn(text);
  // A personal number is looked up on its own screen, where that is recorded.
  if (sought === undefined || sought.kind === 'number') return Promise.resolve([]);
  const by: Record<string, string> =
    sought.kind === 'birthDate' ? { birthdate: sought.date } : { name: searchValue(sought.name) };
  return searchFhir<Patient>(service, 'Patient', { ...by, _count: String(MOST), _sort: 'family' }, signal);
}

/** The requests of the first patients that match. */
export async function findRequests(text: string, signal: AbortSignal): Promise<Choice<string>[]> {
  const patients = (await patientsOf('dispatch', text, signal)).slice(0, MOST_WITH_REQUESTS);
  const found = await Promise.all(
    patients.map(async (patient) => {
      const query = { patient_guid: patient.id ?? '', per_page: MOST };
      const { data } = await read(dispatch.GET('/api/v1/worklist', { params: { query }, signal }));
      return data.map(({ service_request_id: id, title, updated_at: changed }) =>
        choice(id, title ?? id, `${patientName(patient)}, ${dayText(changed)}`),
      );
    }),
  );
  return found.flat().slice(0, MOST);
}

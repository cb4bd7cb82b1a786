// Loads the forty patients into identity, dispatch and the engine under the same guid, and their consents.
import Type from 'typebox';
import { type Api, createApi, read } from './api.ts';
import { type DemoPatient, PATIENTS } from './content/patients.ts';
import { DEMO_PASSWORD, emailOf, PLANNERS, type ProfessionalKey } from './content/people.ts';
import { type OrganisationGuids, signIn } from './load-people.ts';
import { exists, existsOrPut, type Identified } from './records.ts';
import { forEachOf, type Progress } from './work.ts';

const Registered = Type.Object({ patient_guid: Type.String() });

/** Guids by name. */
export type PatientGuids = ReadonlyMap<string, string>;

export interface PatientOptions {
  readonly identity: string;
  readonly dispatchAs: (person: ProfessionalKey) => Api;
  readonly engineAs: (person: ProfessionalKey) => Api;
  readonly organisations: OrganisationGuids;
  readonly progress: Progress;
}

export async function loadPatients(options: PatientOptions): Promise<PatientGuids> {
  const load = async (patient: DemoPatient, index: number): Promise<[string, string]> => {
    const planner = PLANNERS[patient.organisation];
    const guid = await register(options, patient);
    const record = recordOf(patient, guid, options.organisations);
    await existsOrPut(options.dispatchAs(planner), record);
    await existsOrPut(options.engineAs(planner), record);
    const consent = consentOf(patient, index, guid);
    if (consent !== undefined && index < PATIENTS.length - 1) await existsOrPut(options.dispatchAs(planner), consent);
    options.progress.step('patients');
    return [nameOf(patient), guid];
  };
  return new Map(await forEachOf(PATIENTS, load));
}

/** Writes the last patient's consent when everything else is loaded: it marks the demo as complete. */
export async function sealDemo(options: Pick<PatientOptions, 'dispatchAs'>, guids: PatientGuids): Promise<void> {
  const last = lastPatient();
  const consent = consentOf(last, PATIENTS.length - 1, guids.get(nameOf(last)) ?? '');
  if (consent === undefined) throw new Error('The last patient of the demo must have a consent');
  await existsOrPut(options.dispatchAs(PLANNERS[last.organisation]), consent);
}

/** Whether an earlier load was completed. */
export function isSealed(dispatch: Api): Promise<boolean> {
  return exists(dispatch, { resourceType: 'Consent', id: consentId(PATIENTS.length - 1) });
}

function lastPatient(): DemoPatient {
  const last = PATIENTS.at(-1);
  if (last === undefined) throw new Error('The demo has no patients');
  return last;
}

async function register({ identity, organisations }: PatientOptions, patient: DemoPatient): Promise<string> {
  const form = {
    email: emailOf(patient),
    password: DEMO_PASSWORD,
    personnummer: patient.personnummer,
    organisation_guid: organisations[patient.organisation],
  };
  const { status, body } = await createApi(identity).reply('POST', '/api/patient/register', form);
  if (status === 409) {
    const token = await signIn(identity, form.email, DEMO_PASSWORD);
    return (await createApi(identity, { token }).get('/api/auth/me', Registered)).patient_guid;
  }
  return read(body, Registered, `The registration of ${nameOf(patient)} (${status})`).patient_guid;
}

function nameOf({ first, last }: DemoPatient): string {
  return `${first} ${last}`;
}

export function recordOf(patient: DemoPatient, guid: string, organisations: OrganisationGuids): Identified {
  return {
    resourceType: 'Patient',
    id: guid,
    identifier: [
      { use: 'official', system: 'http://electronichealth.se/identifier/personnummer', value: patient.personnummer },
    ],
    active: true,
    name: [{ use: 'official', family: patient.last, given: [patient.first] }],
    gender: patient.sex,
    birthDate: patient.birthDate,
    address: [{ use: 'home', city: patient.town, country: 'SE' }],
    managingOrganization: { reference: `Organization/${organisations[patient.organisation]}` },
  };
}

function consentId(index: number): string {
  return `demo-consent-${index + 1}`;
}

const RESEARCH = { system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code: 'HRESCH' };

/** Undefined for a patient without consent. */
export function consentOf(patient: DemoPatient, index: number, guid: string): Identified | undefined {
  if (patient.consent === 'none') return undefined;
  return {
    resourceType: 'Consent',
    id: consentId(index),
    status: 'active',
    subject: { reference: `Patient/${guid}` },
    date: '2026-01-15',
    decision: patient.consent === 'no' ? 'deny' : 'permit',
    ...(patient.consent === 'care' ? { provision: [{ purpose: [RESEARCH] }] } : {}),
  };
}

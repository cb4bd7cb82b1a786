// The question of an access check, in the address of its screen, and the answers of the services that hold records.
import { useQuery } from '@tanstack/react-query';
import type { Patient } from 'fhir/r5';
import { dispatch, engine, identity, read } from '../../api/clients.ts';
import { searchFhir } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import type { EngineShapes } from '../../api/shapes.ts';
import { nameOf as patientName } from '../../clinical/patient-name.ts';
import { type Chosen, oneOf } from '../../shared/use-address.ts';
import { nameOf } from '../person.ts';

export const CALLERS = ['user', 'api_key', 'provider'] as const;
export type CallerKind = (typeof CALLERS)[number];
export const SERVICES = ['dispatch', 'engine'] as const;
export type RecordService = (typeof SERVICES)[number];

export interface Question {
  readonly kind: CallerKind;
  readonly guid: string;
  readonly type: string;
  readonly id: string;
}

/** The question in an address; undefined until both who and what are chosen. */
export function questionIn(chosen: Chosen): Question | undefined {
  const { who, guid, what, id } = chosen;
  const kind = oneOf(CALLERS, who);
  return kind === undefined || guid === undefined || what === undefined || id === undefined
    ? undefined
    : { kind, guid, type: what, id };
}

/**
 * What the service says; null where it has no such record to show. Each question is recorded, so that it is asked once
 * and not again when the window gets the focus.
 */
export function useAccessCheck(service: RecordService, { kind, guid, type, id }: Question) {
  return useQuery({
    queryKey: ['access-check', service, kind, guid, type, id],
    queryFn: async () => {
      const body = { caller: { kind, guid }, resource_type: type, id };
      const asked =
        service === 'engine'
          ? read(engine.POST('/api/v1/access-checks', { body }))
          : read(dispatch.POST('/api/v1/access-checks', { body }));
      return asked.catch(absent);
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export type Check = EngineShapes['AccessCheck'];
export type Act = EngineShapes['DecidedAct'];
export type Rule = EngineShapes['DecidingRule'];

function absent(error: unknown): null {
  if (error instanceof Problem && error.status === 404) return null;
  throw error;
}

/** Who is asked about, by name; the guid itself where there is none. */
export function useCallerName(kind: CallerKind, guid: string) {
  return useQuery({
    queryKey: ['caller-name', kind, guid],
    queryFn: async () => (await callerName(kind, guid).catch(absent)) ?? guid,
    enabled: guid !== '',
  });
}

async function callerName(kind: CallerKind, guid: string): Promise<string> {
  switch (kind) {
    case 'user':
      return nameOf(
        await read(identity.GET('/api/admin/users/{user_guid}', { params: { path: { user_guid: guid } } })),
      );
    case 'api_key':
      return (await read(engine.GET('/api/v1/api-keys/{key_guid}', { params: { path: { key_guid: guid } } }))).name;
    case 'provider':
      return (await read(engine.GET('/api/v1/providers/{id}', { params: { path: { id: guid } } }))).name;
    default:
      return kind satisfies never;
  }
}

/** What is asked about, by name where it is a patient. */
export function useRecordName(type: string, id: string) {
  return useQuery({
    queryKey: ['record-name', type, id],
    queryFn: async () => {
      if (type !== 'Patient') return id;
      for (const service of SERVICES) {
        const [patient] = await searchFhir<Patient>(service, 'Patient', { _id: id });
        if (patient !== undefined && patientName(patient) !== '') return patientName(patient);
      }
      return id;
    },
    enabled: id !== '',
  });
}

/** Names of organisations by their guids; the guid itself of others. */
export function useOrganisationNames(): (guid: string) => string {
  const { data } = useQuery({
    queryKey: ['organisation-names'],
    queryFn: () => read(identity.GET('/api/public/organisations')),
  });
  const names = new Map(data?.map(({ organisation_guid: guid, name }) => [guid, name]));
  return (guid) => names.get(guid) ?? guid;
}

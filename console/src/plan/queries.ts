// What several screens of the planner read.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Patient } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import type { Stage } from '../../../services/dispatch/worklist/stage.ts';
import { dispatch, read } from '../api/clients.ts';
import { searchFhir } from '../api/fhir.ts';
import type { DispatchShapes } from '../api/shapes.ts';
import { nameOf } from '../clinical/patient-name.ts';

export interface WorklistFilter {
  readonly stage?: Stage;
  readonly undelivered?: boolean;
  readonly mine?: boolean;
  readonly archived?: boolean;
  readonly patient_guid?: string;
  readonly provider_guid?: string;
  readonly order?: 'newest' | 'oldest';
  readonly page?: number;
  readonly per_page?: number;
}

export function useWorklist(query: WorklistFilter) {
  return useQuery({
    queryKey: ['worklist', query],
    queryFn: () => read(dispatch.GET('/api/v1/worklist', { params: { query } })),
    placeholderData: keepPreviousData,
  });
}

export type WorkItem = DispatchShapes['WorklistItem'];

/** Says a name by the reference of a Patient. Who the reader does not see has none; until that is known, it says so. */
export function usePatientNames(references: readonly string[]): (reference: string) => string {
  const { t } = useTranslation();
  const { names, isLoading } = usePatientNamesQuery(references);
  return (reference) => names.get(reference) ?? (isLoading ? '…' : t('planner.somePatient'));
}

/** Names by the references of Patients, and whether they are still being read. */
export function usePatientNamesQuery(references: readonly string[]): {
  readonly names: ReadonlyMap<string, string>;
  readonly isLoading: boolean;
} {
  const ids = [...new Set(references)].sort().map((reference) => reference.replace('Patient/', ''));
  const { data, isLoading, isPlaceholderData } = useQuery({
    queryKey: ['patient-names', ids],
    queryFn: () => searchFhir<Patient>('dispatch', 'Patient', { _id: ids.join(','), _count: String(ids.length) }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return {
    names: new Map((data ?? []).map((patient) => [`Patient/${patient.id}`, nameOf(patient)])),
    isLoading: isLoading || isPlaceholderData,
  };
}

/** The forms that may be given with a request. */
export function useFormCatalogue() {
  return useQuery({
    queryKey: ['form-catalogue'],
    queryFn: () => read(dispatch.GET('/api/v1/Form', { params: { query: { per_page: 200 } } })),
  });
}

export function useNotifications() {
  return useQuery({
    queryKey: ['notifications'],
    queryFn: () => read(dispatch.GET('/api/v1/notifications', { params: { query: { unread: true, per_page: 100 } } })),
  });
}

export type Notification = DispatchShapes['Notification'];

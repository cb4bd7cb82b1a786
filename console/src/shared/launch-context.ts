// The resources that a form's expressions may look at besides the answers (its launch context). They are the patient
// and the person who is signed in, read with the reader's own rights. What cannot be read is not given, which the form
// says.
import { useQueries } from '@tanstack/react-query';
import type { Patient } from 'fhir/r5';
import type { Variables } from '../../../fhir/forms/expressions/evaluator.ts';
import { actingFor } from '../api/acting.ts';
import { getJson, searchFhir } from '../api/fhir.ts';
import type { Form } from '../forms/form.ts';
import { type Me, useMe } from '../shell/me.ts';

const NOTHING: Variables = {};

/** Undefined while it is read. Nothing is read for a form that declares none. */
export function useLaunchContext(
  { launch_context: declared = [] }: Pick<Form, 'launch_context'>,
  patientGuid: string | undefined,
): Variables | undefined {
  const { data: me, isPending } = useMe();
  const isEarly = isPending && declared.length > 0;
  const patient: Wanted = { type: 'Patient', guid: patientGuid };
  const wanted = declared.flatMap(({ name, types }) => {
    const own = name === 'patient' ? patient : name === 'user' ? userOf(me) : undefined;
    return own?.guid === undefined || !types.includes(own.type) ? [] : [{ name, ...own, guid: own.guid }];
  });
  const known = useQueries({
    queries: wanted.map(({ type, guid }) => ({
      queryKey: ['launch-context', type, guid],
      queryFn: () => readFirst(type, guid),
      retry: false,
    })),
    combine: (found) => {
      if (found.length === 0) return NOTHING;
      // Without a connection the form is filled in without it.
      if (found.some(({ isPending, fetchStatus }) => isPending && fetchStatus !== 'paused')) return undefined;
      const read = found.flatMap(({ data }, index) => (data === undefined ? [] : [[wanted[index]?.name, data]]));
      return Object.fromEntries(read);
    },
  });
  return isEarly ? undefined : known;
}

/** A patient's record is at the engine and at dispatch; identity has what everybody registers with, and the staff. */
async function readFirst(type: Wanted['type'], guid: string): Promise<unknown> {
  for (const service of type === 'Patient' ? (['engine', 'dispatch'] as const) : []) {
    const [found] = await searchFhir<Patient>(service, 'Patient', { _id: guid });
    if (found !== undefined) return found;
  }
  return getJson(`/identity/fhir/${type}/${guid}`);
}

interface Wanted {
  readonly type: 'Patient' | 'Practitioner';
  readonly guid: string | undefined;
}

/** Who is signed in. */
function userOf(me: Me | undefined): Wanted | undefined {
  if (me?.user_type === 'professional') return { type: 'Practitioner', guid: me.professional_guid };
  // A proxy reads the other person's record.
  if (me?.user_type === 'patient' && actingFor() === undefined) return { type: 'Patient', guid: me.patient_guid };
  return undefined;
}

/** The patient whose own forms these are. */
export function useOwnPatientGuid(): string | undefined {
  const { data: me } = useMe();
  return actingFor()?.patientGuid ?? (me?.user_type === 'patient' ? me.patient_guid : undefined);
}

// The organisations and caregivers to which a decision may apply, by their guid.
import { useCarers, useOrganisations } from '../queries.ts';
import { recipientsOf } from './recipients.ts';

function useBoth() {
  const { data: organisations } = useOrganisations();
  const { data: carers } = useCarers();
  const providers = new Map((carers ?? []).map(({ providerGuid, provider }) => [providerGuid, provider]));
  return { organisations: organisations ?? new Map<string, string>(), providers };
}

/** Their names. */
export function useNames(): ReadonlyMap<string, string> {
  const { organisations, providers } = useBoth();
  return new Map([...organisations, ...providers]);
}

/** Those among which one chooses, each once. */
export function useRecipients(): ReadonlyMap<string, string> {
  const { organisations, providers } = useBoth();
  return recipientsOf(organisations, providers);
}

// Names of the organisations and caregivers to which a decision may apply, by their guid.
import { useCarers, useOrganisations } from '../queries.ts';

export function useNames(): ReadonlyMap<string, string> {
  const { data: organisations } = useOrganisations();
  const { data: carers } = useCarers();
  const providers = (carers ?? []).map(({ providerGuid, provider }) => [providerGuid, provider] as const);
  return new Map([...(organisations ?? []), ...providers]);
}

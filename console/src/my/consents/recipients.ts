// Among whom a patient chooses for a decision about sharing. Pure.

/**
 * A caregiver may be in the catalogue of organisations, too. Of two with one name the caregiver is offered: requests go
 * to it, so that the decision is about it alone. One about an organisation that dispatch has no record of denies
 * everybody who might be part of it (docs/adr/0031).
 */
export function recipientsOf(
  organisations: ReadonlyMap<string, string>,
  providers: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const taken = new Set(providers.values());
  return new Map([...[...organisations].filter(([, name]) => !taken.has(name)), ...providers]);
}

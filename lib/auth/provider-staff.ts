// Who acts for a provider (decisions G12, D10, L7, L10; docs/adr/0077): the one place where engine and dispatch ask.
import type { Principal } from './principal.ts';

/** A person who acts for a provider, as the provider's colleagues and the requester see them. */
export interface StaffPerson {
  readonly userGuid: string;
  /** Null where the account has no name. */
  readonly name: string | null;
}

/** The providers that the caller acts for: that of a key or an account, or those whose staff a professional is. */
export function providersOf({ providerGuid, staffOf = [] }: Principal): readonly string[] {
  if (providerGuid !== undefined) return [providerGuid];
  return [...new Set(staffOf.map((staff) => staff.providerGuid))];
}

/** The provider of a caller who acts for exactly one; undefined for others. */
export function onlyProviderOf(principal: Principal): string | undefined {
  const [provider, ...others] = providersOf(principal);
  return others.length === 0 ? provider : undefined;
}

/** A provider's key, user and staff act for that provider, an administrator for any. */
export function actsForProvider(principal: Principal, providerGuid: string): boolean {
  return principal.roles.has('admin') || providersOf(principal).includes(providerGuid);
}

/**
 * Whether the caller acts for the provider as its staff alone. Such a caller names a request by its guid and is given
 * no receipt token. That would open the request for any holder, also after the person's work there has ended.
 */
export function actsAsStaff(principal: Principal, providerGuid: string): boolean {
  return (
    !principal.roles.has('admin') && principal.staffOf?.some((staff) => staff.providerGuid === providerGuid) === true
  );
}

/** The person who calls; undefined for a key, a service, and the holder of a receipt token. */
export function personOf({ kind, id, name }: Principal): StaffPerson | undefined {
  return kind === 'identity_user' || kind === 'engine_user' ? { userGuid: id, name: name ?? null } : undefined;
}

/**
 * The members of an audit entry about what the caller does for the provider. They name the person's care unit there,
 * and, where the caller is no key or account of the provider, the provider.
 */
export function onBehalfOf(
  principal: Principal,
  providerGuid: string,
): { readonly organisationGuids?: readonly string[]; readonly detail?: string } {
  if (principal.kind === 'service' || principal.providerGuid !== undefined) return {};
  const staff = principal.staffOf?.find((each) => each.providerGuid === providerGuid);
  const unit = staff === undefined ? {} : { organisationGuids: [staff.organisationGuid] };
  return { ...unit, detail: `for provider ${providerGuid}` };
}

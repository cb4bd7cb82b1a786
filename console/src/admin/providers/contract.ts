// A contract as a form has it, and as the engine takes it.
import type { EngineShapes } from '../../api/shapes.ts';
import type { Named } from '../organisations/organisation-picker.tsx';

export type Contract = EngineShapes['ProviderContract'];
export type Code = Readonly<EngineShapes['ContractCode']>;

export interface ContractForm {
  readonly codes: readonly Code[];
  readonly from: string;
  /** Empty for no end. */
  readonly to: string;
  /** Empty for everywhere. */
  readonly region: string;
  readonly organisation: Named | undefined;
  readonly isActive: boolean;
}

/** The form of a contract; without one, that of a new contract from the day. */
export function contractForm(
  contract: Contract | undefined,
  { today, nameOf }: { readonly today: string; readonly nameOf: (guid: string) => string },
): ContractForm {
  if (contract === undefined)
    return { codes: [], from: today, to: '', region: '', organisation: undefined, isActive: true };
  const { organisation_guid: guid, codes, valid_from: from, valid_to: to, region, status } = contract;
  return {
    codes,
    from,
    to: to ?? '',
    region: region ?? '',
    organisation: guid === null ? undefined : { organisation_guid: guid, name: nameOf(guid) },
    isActive: status === 'active',
  };
}

/** What is still missing before it can be saved. */
export function missingOf({ codes, from, to }: ContractForm): 'codes' | 'from' | 'order' | undefined {
  if (codes.length === 0) return 'codes';
  if (from === '') return 'from';
  return to !== '' && to < from ? 'order' : undefined;
}

export function contractBody(provider: string, { codes, from, to, region, organisation, isActive }: ContractForm) {
  const status = isActive ? ('active' as const) : ('inactive' as const);
  return {
    provider_guid: provider,
    codes: codes.map(({ system, code }) => ({ system, code })),
    organisation_guid: organisation?.organisation_guid ?? null,
    region: region.trim() === '' ? null : region.trim(),
    valid_from: from,
    valid_to: to === '' ? null : to,
    status,
  };
}

/** With the code, unless it is there. */
export function withCode(codes: readonly Code[], added: Code): readonly Code[] {
  const isThere = codes.some(({ system, code }) => system === added.system && code === added.code);
  return isThere ? codes : [...codes, added];
}

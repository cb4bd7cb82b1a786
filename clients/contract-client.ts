// Dispatch's calls to the contract service: which providers have a contract for the work (decisions D4, E9).
import Type from 'typebox';
import { Value } from 'typebox/value';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

/** Providers, organisations and contracts are named by FHIR ids. */
const Id = Type.String({ pattern: '^[A-Za-z0-9\\-.]{1,64}$' });

/** The wire form of the response to `POST {contract}/contracts/match`. */
const ContractMatches = Type.Object({
  contracts: Type.Array(
    Type.Object({
      contract_guid: Id,
      provider_guid: Id,
      provider_name: Type.String({ pattern: '^[^\\x00-\\x1f]{1,500}$' }),
      /** The provider's organisation, for the consent gate. */
      organisation_guid: Type.Optional(Type.Union([Id, Type.Null()])),
    }),
  ),
});

export interface ContractQuery {
  readonly codes: readonly { readonly system: string; readonly code: string }[];
  /** The ordering organisation. */
  readonly organisationGuid?: string;
  readonly region?: string;
  /** The day on which the contract must be valid, `YYYY-MM-DD`. */
  readonly date: string;
}

export interface MatchingContract {
  readonly contractGuid: string;
  readonly providerGuid: string;
  readonly providerName: string;
  readonly providerOrganisationGuid: string | undefined;
}

export interface ContractClient {
  /** @throws ServiceError `upstream_unavailable`, `upstream_error` */
  match(query: ContractQuery): Promise<MatchingContract[]>;
}

/** The limit of a response with all matching contracts. */
const MAX_BYTES = 4 * 1024 * 1024;

/** `fetch` starts at the contract service's address (for the engine: with `/api/v1`). */
export function createContractClient(options: {
  fetch: ServiceFetch;
  credentials: ServiceCredentials | undefined;
}): ContractClient {
  const headers = credentialHeaders(options.credentials);
  return {
    async match({ codes, organisationGuid, region, date }) {
      const json = {
        codes,
        ...(organisationGuid === undefined ? {} : { organisation_guid: organisationGuid }),
        ...(region === undefined ? {} : { region }),
        date,
      };
      const request = { method: 'POST', headers, json, maxBytes: MAX_BYTES } as const;
      const body = await expectJson(await options.fetch('/contracts/match', request), 200);
      if (!Value.Check(ContractMatches, body)) {
        throw new ServiceError('upstream_error', 'The contract service answered what cannot be read');
      }
      return body.contracts.map((contract) => ({
        contractGuid: contract.contract_guid,
        providerGuid: contract.provider_guid,
        providerName: contract.provider_name,
        providerOrganisationGuid: contract.organisation_guid ?? undefined,
      }));
    },
  };
}

// The rules of contracts and their match: which provider may get which request, for whom, where and when (decisions D4,
// E9).
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Issue, notFound } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { type Replacement, requireReplaced, requireVersion } from '../shared/record-versions.ts';
import { lockReferences, providerReference, unknownReferences } from '../shared/references.ts';
import { deleteRecord, requireGuid } from '../shared/sql.ts';
import type { Contract, ContractInput, ContractMatch, ContractQuery, MatchInput } from './schema.ts';
import { findContract, findMatches, insertContract, listContracts, updateContract } from './store.ts';

export interface ContractService {
  /** Returns the issues of a contract that its schema does not find. The fields may have any type. */
  issuesOf(fields: BodyFields): Promise<Issue[]>;
  list(query: ContractQuery & PageRequest): Promise<Page<Contract>>;
  get(id: string): Promise<Contract>;
  create(input: ContractInput): Promise<Contract>;
  /** @throws ServiceError `precondition_failed` when it is not a version that may be replaced */
  replace(id: string, input: ContractInput, by: Pick<Replacement, 'ifMatch'>): Promise<Contract>;
  /** @throws ServiceError `precondition_failed` as `replace` */
  remove(id: string, by: Pick<Replacement, 'ifMatch'>): Promise<void>;
  match(input: MatchInput): Promise<ContractMatch[]>;
}

export function createContractService(deps: { database: Database; clock: Clock }): ContractService {
  const { database, clock } = deps;

  async function write(guid: string, input: ContractInput, run: (tx: Transaction, at: Date) => Promise<boolean>) {
    return database.transaction(async (tx) => {
      await lockReferences(tx, [providerReference(input)], contractIssues(input));
      const isThere = await run(tx, new Date(clock.now()));
      const contract = isThere ? await findContract(tx, guid) : undefined;
      if (contract === undefined) throw notFound('Contract');
      return contract;
    });
  }

  return {
    issuesOf: async (fields) => [
      ...contractIssues(fields),
      ...(await unknownReferences(database, [providerReference(fields)])),
    ],
    list: (query) => listContracts(database, query),
    async get(id) {
      const contract = await findContract(database, requireGuid(id, 'Contract'));
      if (contract === undefined) throw notFound('Contract');
      return contract;
    },
    create(input) {
      const guid = newGuid(clock.now());
      return write(guid, input, async (tx, at) => {
        await insertContract(tx, guid, input, at);
        return true;
      });
    },
    async replace(id, input, { ifMatch }) {
      const guid = requireGuid(id, 'Contract');
      return write(guid, input, async (tx, at) => {
        const version = await updateContract(tx, guid, input, at);
        if (version !== undefined) requireReplaced(ifMatch, version);
        return version !== undefined;
      });
    },
    remove: (id, { ifMatch }) =>
      database.transaction(async (tx) => {
        const version = await deleteRecord(tx, { table: 'contract' }, requireGuid(id, 'Contract'));
        if (version === undefined) throw notFound('Contract');
        requireVersion(ifMatch, version);
      }),
    match: (input) => findMatches(database, input),
  };
}

/** Returns the issues that the schema does not find. Fields that are not days are skipped. */
function contractIssues({ valid_from: from, valid_to: to }: BodyFields): Issue[] {
  const isDay = (value: unknown) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
  if (!isDay(from) || !isDay(to) || String(to) >= String(from)) return [];
  return [{ field: 'valid_to', message: "'valid_to' is before 'valid_from'" }];
}

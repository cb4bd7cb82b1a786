// Fifty concurrent calls on two nodes of identity with one database, and checks of their outcomes.
import assert from 'node:assert/strict';
import { type Hooks, lastFirst } from '../hooks.ts';
import { fifty } from '../system/at-once.ts';
import { type Identity, identityDatabase, startIdentity } from './identity.ts';
import { accessRequestBody, makeProfessional, PASSWORD } from './identity-people.ts';
import { createIdentityRecords } from './identity-records.ts';

export type Headers = Record<string, string>;

interface Call {
  readonly headers?: Headers;
  readonly payload?: object | Buffer;
}

export function ask(node: Identity, address: string, call: Call = {}) {
  const [method = '', url = ''] = address.split(' ');
  return node.app.inject({ method: method as 'GET' | 'POST' | 'PUT' | 'DELETE', url, ...call });
}

type RaceResponse = Awaited<ReturnType<typeof ask>>;

/** Asserts that exactly one got `success`, and each other one of `rest`. */
export function onlyOne(answers: readonly RaceResponse[], success: number, rest: readonly number[]): RaceResponse {
  const [winner, ...more] = answers.filter((answer) => answer.statusCode === success);
  assert.ok(winner !== undefined && more.length === 0, `one ${success} among ${statuses(answers)}`);
  onlyThese(
    answers.filter((answer) => answer !== winner),
    rest,
  );
  return winner;
}

export function onlyThese(answers: readonly RaceResponse[], allowed: readonly number[]): void {
  const strange = answers.find((answer) => !allowed.includes(answer.statusCode));
  assert.equal(strange, undefined, `${strange?.body} among ${statuses(answers)}`);
}

export function statuses(answers: readonly RaceResponse[]): string {
  const counts = Map.groupBy(answers, (answer) => answer.statusCode);
  return [...counts].map(([status, of]) => `${of.length} × ${status}`).join(', ');
}

/** Two nodes, each with a pool of its own as in a process of its own, an SU admin, and the people who race. */
export async function startRaces(
  hooks: Hooks,
  config: NonNullable<Parameters<typeof startIdentity>[1]>['config'] = {},
) {
  const ordered = lastFirst(hooks);
  const shared = await identityDatabase(ordered);
  const on = { ...shared, database: (schema: string) => shared.database(schema, {}) };
  const nodes = [await startIdentity(ordered, { on, config }), await startIdentity(ordered, { on, config })] as const;
  const [first, second] = nodes;
  const records = createIdentityRecords(first.database);
  const su: Headers = await first.asAdmin();
  const suGuid: string = (await ask(first, 'GET /api/auth/me', { headers: su })).json().user_guid;
  const rowsOf = async (text: string, values: readonly unknown[] = []) =>
    (await first.database.query<Record<string, unknown>>(text, values)).rows;

  return {
    first,
    second,
    records,
    su,
    suGuid,
    rowsOf,
    /** Fifty calls at once, every other one to the other node. */
    race: (call: (index: number, node: Identity) => Promise<RaceResponse>): Promise<RaceResponse[]> =>
      fifty((index) => call(index, nodes[index % 2 === 0 ? 0 : 1])),
    /** How many audit events with this code that name the entity there are. */
    async audited(event: string, entity: string): Promise<number> {
      const text = 'SELECT resource FROM audit_event WHERE resource LIKE $1 AND resource LIKE $2';
      return (await rowsOf(text, [`%"${event}"%`, `%${entity}%`])).length;
    },
    async makeSuAdmin() {
      const made = await makeProfessional(first);
      await first.database.query('UPDATE app_user SET is_su_admin = true WHERE user_guid = $1', [made.userGuid]);
      return { ...made, headers: await first.signIn(made.email, PASSWORD) };
    },
    async makeLeader(group: string) {
      const leader = await makeProfessional(first);
      await records.membership({ group, user: leader.userGuid, status: 'approved', isAdmin: true });
      return leader;
    },
    async makeAccessRequest(phases: readonly string[] = []) {
      const body = await accessRequestBody(first, phases);
      const answer = await ask(first, 'POST /api/public/access-request', { payload: body });
      return { ...body, guid: String(answer.json().access_request_guid) };
    },
    decideAccess: (node: Identity, access_request_guid: string, decision: string) =>
      ask(node, 'POST /api/admin/access-requests', { headers: su, payload: { access_request_guid, decision } }),
    /** The number of rows of the account of an address. */
    accountOf: (email: string) =>
      rowsOf(
        `SELECT count(*) AS users, count(p) AS professionals, count(t) AS patients,
           (SELECT count(*) FROM professional_organisation o JOIN app_user x USING (user_guid) WHERE x.email_key = $1) AS links,
           (SELECT count(*) FROM membership m JOIN app_user x ON x.user_guid = m.user_guid WHERE x.email_key = $1) AS memberships
         FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid)
         WHERE u.email_key = $1`,
        [email],
      ),
    /** Asserts that no node has logged an internal error. */
    requireNoInternalErrors(): void {
      const failures = nodes.flatMap((node) => node.lines).filter((line) => line.includes('internal_error'));
      assert.deepEqual(failures, []);
    },
  };
}

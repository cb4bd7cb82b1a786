// Black-box calls to the engine below /api/v1, which check the status and the exact shape of each response.
import { type ContractCalls, contractCalls } from '../contract-calls.ts';
import type { Hooks } from '../hooks.ts';
import { type EngineResponse, startTestEngine, type TestEngine } from './engine.ts';

export const UNKNOWN = '01900000-0000-7000-8000-00000000ffff';
/** An instant in UTC (decision G11). */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const PASSWORD = 'correct horse battery';

export interface EngineCall {
  /** A named caller, an API key, or a token of the engine. */
  readonly as?: string | undefined;
  readonly body?: unknown;
}

export interface EngineContract extends TestEngine, ContractCalls<EngineCall, EngineResponse> {
  /** Sends `METHOD /path`. */
  ask(address: string, call?: EngineCall): Promise<EngineResponse>;
  /** A user of the engine with this role, signed in. */
  signUp(role?: 'admin' | 'clinician' | 'reader'): Promise<{ guid: string; email: string; token: string }>;
}

let addresses = 0;
export function nextEmail(): string {
  addresses += 1;
  return `user-${addresses}@example.org`;
}

export async function startEngineContract(
  hooks: Hooks,
  changes: Parameters<typeof startTestEngine>[1] = {},
): Promise<EngineContract> {
  const engine = await startTestEngine(hooks, changes);
  const ask: EngineContract['ask'] = (address, { as, body } = {}) => {
    const [method = '', path = ''] = address.split(' ');
    return engine.call(as, method as 'GET', path, body);
  };
  return {
    ...engine,
    ask,
    ...contractCalls<EngineCall, EngineResponse>(ask),
    async signUp(role = 'reader') {
      const email = nextEmail();
      const registered = await ask('POST /auth/register', { body: { email, password: PASSWORD, name: 'Kim Berg' } });
      const guid = String(registered.body.user_guid);
      const body = { email, name: 'Kim Berg', role, status: 'active' };
      await ask(`PUT /users/${guid}`, { as: 'admin', body });
      const login = await ask('POST /auth/login', { body: { email, password: PASSWORD } });
      return { guid, email, token: String(login.body.token) };
    },
  };
}

// Black-box calls to the engine below /api/v1, which check the status and the exact shape of each response.
import assert from 'node:assert/strict';
import type { Hooks } from '../hooks.ts';
import { assertShape, type Shape } from '../shape.ts';
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

export interface EngineContract extends TestEngine {
  /** Sends `METHOD /path`. */
  ask(address: string, call?: EngineCall): Promise<EngineResponse>;
  /** Sends the request and checks the status and the shape. An undefined shape stands for an empty body. */
  expect(address: string, call: EngineCall, status: number, shape?: Shape): Promise<EngineResponse>;
  /** As `expect`, for an error: exactly its two fields, or three with `messages`. */
  refuse(address: string, call: EngineCall, status: number, code: string): Promise<EngineResponse>;
  /** A page of a list: its fields, and one shape for every item. */
  expectPage(address: string, call: EngineCall, item: Shape): Promise<EngineResponse>;
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
  const expect: EngineContract['expect'] = async (address, call, status, shape) => {
    const answer = await ask(address, call);
    assert.equal(answer.status, status, `${address}: ${answer.text}`);
    if (shape === undefined) assert.equal(answer.text, '', address);
    else assertShape(answer.body, shape, address);
    return answer;
  };
  const refuse: EngineContract['refuse'] = (address, call, status, code) => {
    const messages = code === 'validation_error' ? { messages: [/./] } : {};
    return expect(address, call, status, { error: code, message: /./, ...messages });
  };
  return {
    ...engine,
    ask,
    expect,
    refuse,
    expectPage: (address, call, item) =>
      expect(address, call, 200, { data: [item], page: Number, per_page: Number, total: Number }),
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

// The people of a state sign in at the gateway.
import { call, eventually } from '#test/support/http.ts';
import { codeAt } from '#test/support/identity/totp.ts';
import type { Account, State } from './state.ts';

/** The credentials of an account or an API key; each signs in once. */
export type SignIns = (name: string) => Promise<{ readonly token?: string; readonly apiKey?: string }>;

export function createSignIns(gateway: string, { accounts, apiKeys }: Pick<State, 'accounts' | 'apiKeys'>): SignIns {
  const tokens = new Map<string, Promise<string>>();
  return async (name) => {
    const [account, apiKey] = [accounts[name], apiKeys[name]];
    if (account === undefined) {
      if (apiKey === undefined) throw new Error(`The state has no account and no key ${name}`);
      return { apiKey };
    }
    const token = tokens.get(name) ?? signIn(gateway, account);
    tokens.set(name, token);
    return { token: await token };
  };
}

/** With the second factor where the account has one. */
async function signIn(gateway: string, account: Account): Promise<string> {
  const { email, password, totp, tenant } = account;
  const login = `${gateway}/identity${tenant === undefined ? '' : `/t/${tenant}`}/api/auth/login`;
  const { body } = await call(login, { json: { email, password } });
  if (totp === undefined) return body.token;
  // A code counts once. Whoever has used the present one waits for the next.
  const second = async () => {
    const json = { challenge: body.challenge, code: codeAt(totp, Date.now()) };
    const answer = await fetch(`${login}/second-factor`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    return answer.ok ? String(((await answer.json()) as { token: string }).token) : undefined;
  };
  return eventually(`${email} signs in with a second factor`, second, 60_000, 5_000);
}

// Which faces of the console somebody has, by what identity says of their access.
import type { Me } from './me.ts';

const MY_SCREENS = [
  { to: '/my', label: 'overview' },
  { to: '/my/plan', label: 'plan' },
  { to: '/my/forms', label: 'forms' },
  { to: '/my/values', label: 'values' },
  { to: '/my/carers', label: 'carers' },
  { to: '/my/consents', label: 'consents' },
  { to: '/my/log', label: 'log' },
  { to: '/my/proxies', label: 'proxies' },
] as const;
const ACCOUNT_SCREENS = [{ to: '/account', label: 'account' }] as const;

type Screen = (typeof MY_SCREENS | typeof ACCOUNT_SCREENS)[number];

export interface Face {
  readonly name: 'my' | 'account';
  readonly screens: readonly Screen[];
}

export function facesOf({ user_type: kind }: Pick<Me, 'user_type'>): readonly Face[] {
  const account: Face = { name: 'account', screens: ACCOUNT_SCREENS };
  return kind === 'patient' ? [{ name: 'my', screens: MY_SCREENS }, account] : [account];
}

/** The first screen of the first face. */
export function homeOf(me: Pick<Me, 'user_type'>): Screen['to'] {
  return facesOf(me)[0]?.screens[0]?.to ?? '/account';
}

// Everybody's own account.
import { type Face, lazyScreen } from '../shell/face.ts';

export const ACCOUNT: Face = {
  name: 'account',
  isFor: () => true,
  screens: [
    { path: '/account', label: 'account', component: lazyScreen(() => import('./account-page.tsx'), 'AccountPage') },
  ],
};

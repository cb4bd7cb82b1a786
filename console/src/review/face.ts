// The face of a privacy officer: the access logs of patients.
import { type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };

export const REVIEW: Face = {
  name: 'review',
  isFor: ({ is_privacy_officer: isOfficer }) => isOfficer === true,
  screens: [
    { path: '/review', label: 'log', component: lazyScreen(() => import('./find-page.tsx'), 'FindPage', texts) },
    { path: '/review/$id', component: lazyScreen(() => import('./log-page.tsx'), 'LogPage', texts) },
  ],
};

// The face of who builds with the APIs: references and a token, all FHIR resources, batches, terminology. Everybody may
// open it; it is in the navigation of administrators, and of those who are in it.
import { type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };

const resource = lazyScreen(() => import('./resource/resource-page.tsx'), 'ResourcePage', texts);
const terminology = lazyScreen(() => import('./terminology/terminology-page.tsx'), 'TerminologyPage', texts);
const types = lazyScreen(() => import('./fhir/types-page.tsx'), 'TypesPage', texts);

export const DEVELOPER: Face = {
  name: 'developer',
  isFor: ({ is_su_admin: isAdmin }) => isAdmin === true,
  screens: [
    {
      path: '/developer',
      label: 'developer',
      component: lazyScreen(() => import('./home-page.tsx'), 'DeveloperPage', texts),
    },
    { path: '/developer/fhir', label: 'fhir', component: types },
    { path: '/developer/fhir/$service', component: types },
    {
      path: '/developer/fhir/$service/$type',
      component: lazyScreen(() => import('./fhir/search-page.tsx'), 'SearchPage', texts),
    },
    { path: '/developer/fhir/$service/$type/$id', component: resource },
    { path: '/developer/fhir/$service/$type/$id/$tab', component: resource },
    {
      path: '/developer/new/$service/$type',
      component: lazyScreen(() => import('./resource/new-page.tsx'), 'NewResourcePage', texts),
    },
    {
      path: '/developer/batch',
      label: 'batch',
      component: lazyScreen(() => import('./batch/batch-page.tsx'), 'BatchPage', texts),
    },
    { path: '/developer/terminology', label: 'terminology', component: terminology },
    { path: '/developer/terminology/$tab', component: terminology },
  ],
};

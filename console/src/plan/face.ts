// The face of who plans: what needs them, their patients, their requests.
import { FAILURE_TEXTS } from '../shared/failures/texts.ts';
import { type Access, type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };
const formTexts = {
  sv: () => import('./form-builder/texts/sv.json'),
  en: () => import('./form-builder/texts/en.json'),
};

export const PLAN: Face = {
  name: 'planner',
  // An administrator may do all that a planner may (lib/auth/permissions.ts), but begins elsewhere.
  isFor: (me) => isPlanner(me) || me.is_su_admin === true,
  isHomeOf: isPlanner,
  live: [
    ...['notifications', 'worklist', 'request', 'request-matches', 'request-questions', 'request-results'],
    ...['patient-answers', 'patient-values'],
  ],
  search: async () => (await import('./find.ts')).findAsPlanner,
  shortcuts: [
    { path: '/plan/patients/new', label: 'newPatient' },
    { path: '/plan/library/new', label: 'newPlan' },
    { path: '/plan/forms/new', label: 'newForm' },
    { path: '/plan/library/forms', label: 'forms' },
    { path: '/plan/library/activities', label: 'activities' },
    { path: '/plan/library/goals', label: 'goals' },
    { path: '/plan/library/concepts', label: 'concepts' },
  ],
  screens: [
    { path: '/plan', label: 'work', component: lazyScreen(() => import('./home-page.tsx'), 'HomePage', texts) },
    {
      path: '/plan/patients',
      label: 'patients',
      component: lazyScreen(() => import('./patients/patients-page.tsx'), 'PatientsPage', texts),
    },
    {
      path: '/plan/patients/new',
      component: lazyScreen(() => import('./patients/new-patient-page.tsx'), 'NewPatientPage', texts),
    },
    {
      path: '/plan/patients/$id',
      component: lazyScreen(() => import('./patients/patient-page.tsx'), 'PatientPage', texts),
    },
    {
      path: '/plan/patients/$id/$tab',
      component: lazyScreen(() => import('./patients/patient-page.tsx'), 'PatientPage', texts),
    },
    {
      path: '/plan/requests',
      label: 'requests',
      component: lazyScreen(() => import('./requests/requests-page.tsx'), 'RequestsPage', texts),
    },
    {
      path: '/plan/requests/$id',
      component: lazyScreen(() => import('./requests/request-page.tsx'), 'RequestPage', texts, FAILURE_TEXTS),
    },
    {
      path: '/plan/statistics',
      label: 'statistics',
      component: lazyScreen(() => import('./statistics/statistics-page.tsx'), 'StatisticsPage', texts, FAILURE_TEXTS),
    },
    {
      path: '/plan/library',
      label: 'library',
      component: lazyScreen(() => import('./library/library-page.tsx'), 'LibraryPage', texts, formTexts),
    },
    {
      path: '/plan/library/$tab',
      component: lazyScreen(() => import('./library/library-page.tsx'), 'LibraryPage', texts, formTexts),
    },
    {
      path: '/plan/library/plans/$id',
      component: lazyScreen(() => import('./plan-page.tsx'), 'PlanPage', texts),
    },
    {
      path: '/plan/forms/new',
      component: lazyScreen(() => import('./form-builder/form-page.tsx'), 'NewFormPage', texts, formTexts),
    },
    {
      path: '/plan/forms/$id',
      component: lazyScreen(() => import('./form-builder/form-page.tsx'), 'FormPage', texts, formTexts),
    },
  ],
};

function isPlanner({ effective_phases: phases = [] }: Access): boolean {
  return phases.includes('planning');
}

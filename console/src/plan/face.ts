// The face of who plans: what needs them, their patients, their requests. Who analyses or follows up reads it.
import { FAILURE_TEXTS } from '../shared/failures/texts.ts';
import { type Face, lazyScreen } from '../shell/face.ts';
import { isFollower, mayPlan, onlyFollows } from './rights.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };
const formTexts = {
  sv: () => import('./form-builder/texts/sv.json'),
  en: () => import('./form-builder/texts/en.json'),
};

export const PLAN: Face = {
  name: 'planner',
  nameFor: (me) => (mayPlan(me) ? undefined : 'follower'),
  isFor: (me) => mayPlan(me) || isFollower(me),
  // An administrator may do all that a planner may (lib/auth/permissions.ts), but begins elsewhere.
  isHomeOf: (me) => me.effective_phases?.includes('planning') === true || onlyFollows(me),
  streamFor: (me) => (mayPlan(me) ? 'notifications' : 'worklist'),
  live: [
    ...['notifications', 'worklist', 'request', 'request-matches', 'request-questions', 'request-results'],
    ...['patient-answers', 'patient-values'],
  ],
  search: async () => (await import('./find.ts')).findAsPlanner,
  shortcuts: [
    { path: '/plan/patients/new', label: 'newPatient', isFor: mayPlan },
    { path: '/plan/library/new', label: 'newPlan', isFor: mayPlan },
    { path: '/plan/forms/new', label: 'newForm', isFor: mayPlan },
    { path: '/plan/library/forms', label: 'forms', isFor: mayPlan },
    { path: '/plan/library/activities', label: 'activities', isFor: mayPlan },
    { path: '/plan/library/goals', label: 'goals', isFor: mayPlan },
    { path: '/plan/library/concepts', label: 'concepts', isFor: mayPlan },
  ],
  screens: [
    {
      path: '/plan',
      label: 'work',
      labelFor: (me) => (mayPlan(me) ? undefined : 'followed'),
      component: lazyScreen(() => import('./home-page.tsx'), 'HomePage', texts),
    },
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
      isFor: mayPlan,
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

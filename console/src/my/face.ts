// The patient's face.
import { actingFor } from '../api/acting.ts';
import { type Face, lazyScreen } from '../shell/face.ts';

/** Consents, proxies and the copy of one's data are the patient's alone (decision L5). */
const isForOneself = () => actingFor() === undefined;

export const MY: Face = {
  name: 'my',
  isFor: ({ user_type: kind }) => kind === 'patient',
  live: ['news', 'observations', 'forms', 'carers', 'plans'],
  screens: [
    { path: '/my', label: 'overview', component: lazyScreen(() => import('./overview.tsx'), 'Overview') },
    { path: '/my/plan', label: 'plan', component: lazyScreen(() => import('./plan/plan-page.tsx'), 'PlanPage') },
    { path: '/my/forms', label: 'forms', component: lazyScreen(() => import('./forms/forms-page.tsx'), 'FormsPage') },
    { path: '/my/forms/$guid', component: lazyScreen(() => import('./forms/form-page.tsx'), 'FormPage') },
    {
      path: '/my/values',
      label: 'values',
      component: lazyScreen(() => import('./values/values-page.tsx'), 'ValuesPage'),
    },
    {
      path: '/my/values/new',
      component: lazyScreen(() => import('./values/report-page.tsx'), 'ReportValuesPage'),
    },
    { path: '/my/carers', label: 'carers', component: lazyScreen(() => import('./carers-page.tsx'), 'CarersPage') },
    {
      path: '/my/consents',
      label: 'consents',
      isFor: isForOneself,
      component: lazyScreen(() => import('./consents/consents-page.tsx'), 'ConsentsPage'),
    },
    { path: '/my/log', label: 'log', component: lazyScreen(() => import('./log-page.tsx'), 'LogPage') },
    {
      path: '/my/proxies',
      label: 'proxies',
      isFor: isForOneself,
      component: lazyScreen(() => import('./proxies/proxies-page.tsx'), 'ProxiesPage'),
    },
    {
      path: '/my/copy',
      label: 'copy',
      isFor: isForOneself,
      component: lazyScreen(() => import('./copy/copy-page.tsx'), 'CopyPage'),
    },
  ],
};

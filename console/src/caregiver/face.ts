// The face of who performs: the tasks of the provider whose staff somebody is, and the system of its own.
import { FAILURE_TEXTS } from '../shared/failures/texts.ts';
import { type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };

export const CAREGIVER: Face = {
  name: 'caregiver',
  isFor: ({ provider_staff: staff = [] }) => staff.length > 0,
  live: ['tasks', 'task', 'task-questions', 'deliveries', 'delivery', 'endpoint'],
  search: async () => (await import('./find.ts')).findAsCaregiver,
  screens: [
    {
      path: '/care',
      label: 'tasks',
      component: lazyScreen(() => import('./tasks/tasks-page.tsx'), 'TasksPage', texts),
    },
    {
      path: '/care/tasks/$guid',
      component: lazyScreen(() => import('./task/task-page.tsx'), 'TaskPage', texts),
    },
    {
      path: '/care/tasks/$guid/report',
      component: lazyScreen(() => import('./report/report-page.tsx'), 'ReportPage', texts),
    },
    {
      path: '/care/system',
      label: 'system',
      component: lazyScreen(() => import('./integration/integration-page.tsx'), 'IntegrationPage', texts),
    },
    {
      path: '/care/system/$guid',
      component: lazyScreen(() => import('./integration/delivery-page.tsx'), 'DeliveryPage', texts, FAILURE_TEXTS),
    },
  ],
};

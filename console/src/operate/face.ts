// The face of who operates the system. It shows whether everything is well and what is stuck, other servers and what is
// carried between them and here, imports and exports.
import { type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };

export const OPERATOR: Face = {
  name: 'operator',
  isFor: ({ is_su_admin: isAdmin }) => isAdmin === true,
  search: async () => (await import('./find.ts')).findAsOperator,
  shortcuts: [
    { path: '/operate/bulk', hash: 'export', label: 'newExport' },
    { path: '/operate/bulk', hash: 'import', label: 'newImport' },
    { path: '/operate/servers', hash: 'synchronize', label: 'newSync' },
    { path: '/operate', hash: 'queues', label: 'queues' },
    { path: '/operate', hash: 'latency', label: 'latency' },
  ],
  screens: [
    {
      path: '/operate',
      label: 'health',
      component: lazyScreen(() => import('./health/health-page.tsx'), 'HealthPage', texts),
    },
    {
      path: '/operate/servers',
      label: 'exchange',
      component: lazyScreen(() => import('./servers/servers-page.tsx'), 'ServersPage', texts),
    },
    {
      path: '/operate/servers/$guid',
      component: lazyScreen(() => import('./servers/sync-page.tsx'), 'SyncPage', texts),
    },
    {
      path: '/operate/bulk',
      label: 'bulk',
      component: lazyScreen(() => import('./bulk/bulk-page.tsx'), 'BulkPage', texts),
    },
  ],
};

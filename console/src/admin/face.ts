// The face of who leads and who administers: what waits for a decision. Leaders have what they decide, administrators
// everything.
import { type Access, type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };

export const ADMIN: Face = {
  name: 'admin',
  isFor: (me) => me.is_su_admin === true || isLeader(me),
  screens: [
    {
      path: '/admin',
      label: 'queue',
      component: lazyScreen(() => import('./queue/queue-page.tsx'), 'QueuePage', texts),
    },
  ],
};

function isLeader({ groups = [] }: Access): boolean {
  return groups.some(({ is_admin: isAdmin }) => isAdmin);
}

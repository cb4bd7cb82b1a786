// The face of who leads and who administers. Leaders have what they decide and the groups that they lead,
// administrators everything.
import { type Access, type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };
const isAdministrator = ({ is_su_admin: isSu }: Access) => isSu === true;

export const ADMIN: Face = {
  name: 'admin',
  isFor: (me) => isAdministrator(me) || isLeader(me),
  screens: [
    {
      path: '/admin',
      label: 'queue',
      component: lazyScreen(() => import('./queue/queue-page.tsx'), 'QueuePage', texts),
    },
    {
      path: '/admin/users',
      label: 'users',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./users/users-page.tsx'), 'UsersPage', texts),
    },
    {
      path: '/admin/groups',
      label: 'groups',
      component: lazyScreen(() => import('./groups/groups-page.tsx'), 'GroupsPage', texts),
    },
    {
      path: '/admin/groups/$guid',
      component: lazyScreen(() => import('./groups/group-page.tsx'), 'GroupPage', texts),
    },
    {
      path: '/admin/organisations',
      label: 'organisations',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./organisations/organisations-page.tsx'), 'OrganisationsPage', texts),
    },
    // Where an invite leads: for every professional.
    { path: '/account/join', component: lazyScreen(() => import('./groups/join-page.tsx'), 'JoinPage', texts) },
  ],
};

function isLeader({ groups = [] }: Access): boolean {
  return groups.some(({ is_admin: isAdmin }) => isAdmin);
}

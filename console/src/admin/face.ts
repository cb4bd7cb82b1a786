// The face of who leads and who administers. Leaders have what they decide and the groups that they lead,
// administrators everything.
import { loadTexts } from '../i18n/i18n.ts';
import { FAILURE_TEXTS } from '../shared/failures/texts.ts';
import { type Access, type Face, lazyScreen } from '../shell/face.ts';

const texts = { sv: () => import('./texts/sv.json'), en: () => import('./texts/en.json') };
const careTexts = { sv: () => import('../caregiver/texts/sv.json'), en: () => import('../caregiver/texts/en.json') };
const auditTexts = { sv: () => import('./audit/texts/sv.json'), en: () => import('./audit/texts/en.json') };
const accessTexts = { sv: () => import('./access/texts/sv.json'), en: () => import('./access/texts/en.json') };
const systemTexts = { sv: () => import('./system/texts/sv.json'), en: () => import('./system/texts/en.json') };
const operateTexts = { sv: () => import('../operate/texts/sv.json'), en: () => import('../operate/texts/en.json') };
const isAdministrator = ({ is_su_admin: isSu }: Access) => isSu === true;

export const ADMIN: Face = {
  name: 'admin',
  isFor: (me) => isAdministrator(me) || isLeader(me),
  search: async () => (await import('./find.ts')).findAsAdministrator,
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
      path: '/admin/import',
      label: 'import',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./import/import-page.tsx'), 'ImportPage', texts),
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
    {
      path: '/admin/providers',
      label: 'providers',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./providers/providers-page.tsx'), 'ProvidersPage', texts),
    },
    {
      path: '/admin/providers/$guid',
      component: lazyScreen(loadProvider, 'ProviderPage', texts),
    },
    {
      path: '/admin/letters',
      label: 'letters',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./letters/letters-page.tsx'), 'LettersPage', texts, FAILURE_TEXTS),
    },
    {
      path: '/admin/keys',
      label: 'keys',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./keys/keys-page.tsx'), 'KeysPage', texts),
    },
    {
      path: '/admin/access',
      label: 'access',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./access/access-page.tsx'), 'AccessPage', texts, accessTexts),
    },
    {
      path: '/admin/audit',
      label: 'audit',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./audit/audit-page.tsx'), 'AuditPage', texts, auditTexts),
    },
    {
      path: '/admin/services',
      label: 'services',
      isFor: isAdministrator,
      component: lazyScreen(loadServices, 'ServicesPage', texts, systemTexts),
    },
    {
      path: '/admin/settings',
      label: 'settings',
      isFor: isAdministrator,
      component: lazyScreen(() => import('./system/settings-page.tsx'), 'SettingsPage', texts, systemTexts),
    },
    // Where an invite leads: for every professional.
    { path: '/account/join', component: lazyScreen(() => import('./groups/join-page.tsx'), 'JoinPage', texts) },
  ],
};

/** The endpoint is shown as its provider sees it, in the same words. */
async function loadProvider() {
  await loadTexts(careTexts);
  return import('./providers/provider-page.tsx');
}

/** Services are shown as their operator sees them, in the same words. */
async function loadServices() {
  await loadTexts(operateTexts);
  return import('./system/services-page.tsx');
}

function isLeader({ groups = [] }: Access): boolean {
  return groups.some(({ is_admin: isAdmin }) => isAdmin);
}

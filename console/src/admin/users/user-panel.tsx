// Everything about one user: who it is, what the user may do, where the user is signed in, and what can be done.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { deviceOf } from '../../account/device.ts';
import { dayText, momentText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { nameOf } from '../person.ts';
import { useWords } from '../words.ts';
import { type User, useUser } from './queries.ts';
import { UserActs } from './user-acts.tsx';
import { UserBadges } from './users-page.tsx';

interface UserPanelProps {
  readonly guid: string;
  readonly onClose: () => void;
  /** Opens another user instead. */
  readonly onOther: (guid: string) => void;
}

export function UserPanel({ guid, onClose, onOther }: UserPanelProps) {
  const { t } = useTranslation();
  return (
    <aside className="card panel" aria-label={t('admin.user.title')}>
      <p>
        <button type="button" className="plain-button" onClick={onClose}>
          {t('admin.user.close')}
        </button>
      </p>
      <Loaded query={useUser(guid)}>
        {(user) => (
          <>
            <h2>{nameOf(user)}</h2>
            <UserBadges user={user} />
            <Facts user={user} onOther={onOther} />
            <Groups user={user} />
            <Sessions user={user} />
            <p>
              <Link to="/admin/audit" search={{ user: user.user_guid }}>
                {t('admin.user.log')}
              </Link>
            </p>
            <UserActs user={user} onClose={onClose} onOther={onOther} />
          </>
        )}
      </Loaded>
    </aside>
  );
}

function Facts({ user, onOther }: { readonly user: User; readonly onOther: (guid: string) => void }) {
  const { t } = useTranslation();
  const { roleName } = useWords();
  const { professional, merged_into: into } = user;
  return (
    <dl className="facts">
      <dt>{t('admin.user.email')}</dt>
      <dd>{user.email ?? t('admin.user.noAccount')}</dd>
      {professional !== undefined && (
        <>
          <dt>{t('admin.user.role')}</dt>
          <dd>{roleName(professional.professional_role)}</dd>
        </>
      )}
      <dt>{t('admin.user.organisations')}</dt>
      <dd>{user.organisations.map(({ name }) => name).join(', ') || t('admin.user.noOrganisation')}</dd>
      <dt>{t('admin.user.lastSignIn')}</dt>
      <dd>{user.last_login_at === null ? t('admin.user.never') : momentText(user.last_login_at)}</dd>
      <dt>{t('admin.user.created')}</dt>
      <dd>{dayText(user.created_at)}</dd>
      <dt>{t('admin.user.secondFactor')}</dt>
      <dd>
        {user.second_factor_since === null
          ? t('admin.user.noSecondFactor')
          : t('admin.user.since', { day: dayText(user.second_factor_since) })}
      </dd>
      {user.must_change_password && (
        <>
          <dt>{t('admin.user.password')}</dt>
          <dd>{t('admin.user.temporary')}</dd>
        </>
      )}
      {user.blocked_at !== undefined && into === undefined && (
        <>
          <dt>{t('admin.user.blocked')}</dt>
          <dd>{momentText(user.blocked_at)}</dd>
        </>
      )}
      {into !== undefined && (
        <>
          <dt>{t('admin.user.mergedInto')}</dt>
          <dd>
            <button type="button" className="plain-button" onClick={() => onOther(into)}>
              {t('admin.user.openOther')}
            </button>
          </dd>
        </>
      )}
      {user.merged_accounts.length > 0 && (
        <>
          <dt>{t('admin.user.mergedAccounts')}</dt>
          {user.merged_accounts.map(({ user_guid: guid, email }) => (
            <dd key={guid}>
              <button type="button" className="plain-button" onClick={() => onOther(guid)}>
                {email}
              </button>
            </dd>
          ))}
        </>
      )}
      <dt>{t('admin.user.id')}</dt>
      <dd>
        <code>{user.user_guid}</code>
      </dd>
    </dl>
  );
}

function Groups({ user: { professional } }: { readonly user: User }) {
  const { t } = useTranslation();
  const { groupName } = useWords();
  if (professional === undefined) return null;
  const { memberships } = professional;
  return (
    <>
      <h3>{t('admin.user.groups')}</h3>
      {memberships.length === 0 && <p className="quiet">{t('admin.user.noGroups')}</p>}
      <ul>
        {memberships.map((each) => (
          <li key={each.membership_guid}>
            {groupName(each.group_name, each.group_type)}{' '}
            {each.status !== 'approved' && <span className="badge">{t(`admin.membership.${each.status}`)}</span>}
            {each.is_admin && <span className="badge strong">{t('admin.membership.leader')}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

function Sessions({ user: { sessions } }: { readonly user: User }) {
  const { t } = useTranslation();
  const placeOf = (userAgent: string | null) => {
    const device = deviceOf(userAgent);
    return device === undefined ? (userAgent ?? t('account.program')) : t('account.place', { ...device });
  };
  return (
    <>
      <h3>{t('admin.user.sessions')}</h3>
      {sessions.length === 0 && <p className="quiet">{t('admin.user.noSessions')}</p>}
      <ul>
        {sessions.map((session) => (
          <li key={session.session_guid}>
            {placeOf(session.user_agent)}, {momentText(session.created_at)}
            {session.address !== null && <span className="quiet"> ({session.address})</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

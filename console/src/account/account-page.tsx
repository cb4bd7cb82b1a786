// One's own account: who is signed in, what they may do in words, and where they are signed in.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../api/clients.ts';
import { dayText, momentText } from '../i18n/format.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { ErrorCard } from '../shell/error-card.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { type Me, useMe } from '../shell/me.ts';
import { Page } from '../shell/page.tsx';
import { deviceOf } from './device.ts';
import { MailDigest } from './mail-digest.tsx';
import { hasNotifications, kindsOf, phasesOf } from './rights.ts';

export function AccountPage() {
  const { t } = useTranslation();
  const lang = currentLanguage();
  return (
    <Page title={t('account.title')}>
      <Loaded query={useMe()}>{(me) => <Rights me={me} />}</Loaded>
      <p className="actions">
        <Button component="a" variant="default" href={`/identity/account?lang=${lang}`}>
          {t('account.change')}
        </Button>
        <Button
          component="a"
          variant="default"
          href={`/auth/login?page=change-password&return_to=/account&lang=${lang}`}
        >
          {t('account.password')}
        </Button>
      </p>
      <Loaded query={useMe()}>{(me) => hasNotifications(me) && <MailDigest email={me.email} />}</Loaded>
      <SecondFactor />
      <Sessions />
      <h2>{t('account.developers')}</h2>
      <p>
        <Link to="/developer">{t('account.developerPage')}</Link>
      </p>
      <h2>{t('account.accessibility')}</h2>
      <p>
        <a href={`/accessibility?lang=${lang}`}>{t('account.accessibilityPage')}</a>
      </p>
    </Page>
  );
}

/** Nobody's name is in what every screen reads of them. */
function useOwnName(): string {
  const { data } = useQuery({
    queryKey: ['own-name'],
    queryFn: () => read(identity.GET('/api/auth/account')),
    // It is changed at a page of identity, from which one comes back.
    refetchOnMount: 'always',
  });
  return [data?.first_name, data?.last_name].filter(Boolean).join(' ');
}

function Rights({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const name = useOwnName();
  const kinds = kindsOf(me).map((kind) => t(`account.kind.${kind}`));
  const phases = phasesOf(me).map((phase) => t(`account.phase.${phase}`));
  const groups = 'groups' in me ? me.groups.filter((group) => group.group_type !== 'phase') : [];
  return (
    <div className="card">
      <dl className="facts">
        {name !== '' && (
          <>
            <dt>{t('account.name')}</dt>
            <dd>{name}</dd>
          </>
        )}
        <dt>{t('account.email')}</dt>
        <dd>{me.email}</dd>
        <dt>{t('account.kinds')}</dt>
        <dd>{kinds.join(', ')}</dd>
        {phases.length > 0 && (
          <>
            <dt>{t('account.phases')}</dt>
            <dd>{phases.join(', ')}</dd>
          </>
        )}
        {groups.length > 0 && (
          <>
            <dt>{t('account.groups')}</dt>
            <dd>{groups.map((group) => group.group_name).join(', ')}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** So few recovery codes are soon none. */
const FEW_CODES = 2;

function SecondFactor() {
  const { t } = useTranslation();
  const state = useQuery({
    queryKey: ['second-factor'],
    queryFn: () => read(identity.GET('/api/auth/second-factor')),
    // It is changed at a page of identity, from which one comes back.
    refetchOnMount: 'always',
  });
  return (
    <>
      <h2>{t('account.secondFactor.title')}</h2>
      <Loaded query={state}>
        {({ enabled, enabled_at: since = '', recovery_codes_left: codes = 0 }) => (
          <div className="card">
            <p>{enabled ? t('account.secondFactor.on', { day: dayText(since) }) : t('account.secondFactor.off')}</p>
            {enabled && (
              <p className={codes > FEW_CODES ? 'quiet' : 'note'}>
                {t('account.secondFactor.codes', { count: codes })}
              </p>
            )}
            <p className="actions">
              <Button
                component="a"
                variant="default"
                href={`/identity/account/second-factor?lang=${currentLanguage()}`}
              >
                {t(enabled ? 'account.secondFactor.change' : 'account.secondFactor.begin')}
              </Button>
            </p>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Sessions() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: () => read(identity.GET('/api/auth/sessions')) });
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['sessions'] });
  const end = useMutation({
    mutationFn: (guid: string) =>
      read(identity.DELETE('/api/auth/sessions/{session_guid}', { params: { path: { session_guid: guid } } })),
    onSuccess,
  });
  const endOthers = useMutation({ mutationFn: () => read(identity.DELETE('/api/auth/sessions')), onSuccess });
  const error = end.error ?? endOthers.error;
  const placeText = (userAgent: string | null) => {
    const device = deviceOf(userAgent);
    return device === undefined ? (userAgent ?? t('account.program')) : t('account.place', { ...device });
  };
  const tenantText = (name: string) => (name === 'default' ? t('account.defaultTenant') : name);
  return (
    <>
      <h2>{t('account.sessions')}</h2>
      {error !== null && <ErrorCard error={error} />}
      <Loaded query={sessions}>
        {(all) => (
          <>
            <ul className="cards">
              {all.map((session) => (
                <li key={session.session_guid} className="card">
                  <div className="row">
                    <strong>{placeText(session.user_agent)}</strong>
                    {session.current && <span className="badge strong">{t('account.here')}</span>}
                  </div>
                  <p className="quiet">{t('account.since', { moment: momentText(`${session.created_at}Z`) })}</p>
                  {session.tenants !== undefined && (
                    <p className="quiet">
                      {t('account.tenants', { names: session.tenants.map(tenantText).join(', ') })}
                    </p>
                  )}
                  {!session.current && (
                    <p className="actions">
                      <Button variant="default" onClick={() => end.mutate(session.session_guid)}>
                        {t('account.endSession')}
                      </Button>
                    </p>
                  )}
                </li>
              ))}
            </ul>
            {all.length > 1 && (
              <p className="actions">
                <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
                  {t('account.endOthers')}
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

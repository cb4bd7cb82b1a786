// API keys: by which programs call, with what they may do and when they last did. A key itself is shown once.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { dayText, momentText, numberText } from '../../i18n/format.ts';
import { PagedCards } from '../../shared/paged-list.tsx';
import { ShownOnce } from '../../shared/shown-once.tsx';
import { pageIn, useAddress } from '../../shared/use-address.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { useOrganisationNames } from '../access/queries.ts';
import { ActDialog } from '../act-dialog.tsx';
import { useProviderNames } from '../letters/queries.ts';
import { useAct } from '../use-act.ts';
import { NewKey } from './new-key.tsx';
import { type ApiKey, ofKey, PER_PAGE, USAGE_DAYS, useKeys, useUsage } from './queries.ts';
import { RotateDialog } from './rotate-dialog.tsx';

export function KeysPage() {
  const { t } = useTranslation();
  const [chosen] = useAddress();
  const [secret, setSecret] = useState<string>();
  const page = pageIn(chosen);
  return (
    <Page title={t('admin.keys.title')}>
      <PagedCards query={useKeys(page)} perPage={PER_PAGE} none={t('admin.keys.none')}>
        {(key) => <KeyCard key={key.key_guid} apiKey={key} onSecret={setSecret} />}
      </PagedCards>
      <NewKey onSecret={setSecret} />
      {secret !== undefined && (
        <ShownOnce
          title={t('admin.keys.made')}
          lead={t('admin.keys.once')}
          text={secret}
          label={t('admin.keys.key')}
          kept={t('admin.keys.kept')}
          onKept={() => setSecret(undefined)}
        />
      )}
    </Page>
  );
}

interface KeyCardProps {
  readonly apiKey: ApiKey;
  readonly onSecret: (secret: string) => void;
}

function KeyCard({ apiKey, onSecret }: KeyCardProps) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<'rotate' | 'revoke'>();
  const { name, status, scopes, prefix } = apiKey;
  const remove = useAct<unknown>(() => read(engine.DELETE('/api/v1/api-keys/{key_guid}', ofKey(apiKey.key_guid))), {
    changes: ['api-keys'],
    onDone: () => setAsking(undefined),
  });
  return (
    <li className="card">
      <div className="row">
        <h2>{name}</h2>
        <span className={status === 'active' ? 'badge' : 'badge strong'}>{t(`admin.keys.status.${status}`)}</span>
      </div>
      <p>{useOwnerText(apiKey)}</p>
      <p className="quiet">
        <code>{prefix}…</code> ·{' '}
        {apiKey.last_used_at === null
          ? t('admin.keys.never')
          : t('admin.keys.lastUsed', { moment: momentText(apiKey.last_used_at) })}
        {apiKey.expires_at !== null && ` · ${t('admin.keys.expires', { day: dayText(apiKey.expires_at) })}`}
      </p>
      {apiKey.previous_key_until !== null && (
        <p className="note">{t('admin.keys.previousUntil', { moment: momentText(apiKey.previous_key_until) })}</p>
      )}
      {scopes.length > 0 && (
        <p>
          {scopes.map((scope) => (
            <span key={scope}>
              <code>{scope}</code>{' '}
            </span>
          ))}
        </p>
      )}
      <details>
        <summary>{t('admin.keys.usage')}</summary>
        <Usage guid={apiKey.key_guid} />
      </details>
      <p className="actions">
        <Button
          variant="default"
          disabled={status !== 'active'}
          aria-label={t('admin.keys.rotateOf', { name })}
          onClick={() => setAsking('rotate')}
        >
          {t('admin.keys.rotate')}
        </Button>
        <Button variant="default" aria-label={t('admin.keys.revokeOf', { name })} onClick={() => setAsking('revoke')}>
          {t('admin.keys.revoke')}
        </Button>
      </p>
      {asking === 'rotate' && <RotateDialog apiKey={apiKey} onSecret={onSecret} onClose={() => setAsking(undefined)} />}
      {asking === 'revoke' && (
        <ActDialog
          title={t('admin.keys.revokeTitle', { name })}
          confirm={t('admin.keys.revokeNow')}
          act={remove}
          onClose={() => setAsking(undefined)}
          word={{ text: name, label: t('admin.keys.type', { name }) }}
        >
          <p>{t('admin.keys.revokeEffect')}</p>
        </ActDialog>
      )}
    </li>
  );
}

/** Whose records the key reads. */
function useOwnerText({ organisation_guid: organisation, provider_guid: provider }: ApiKey): string {
  const { t } = useTranslation();
  const nameOfOrganisation = useOrganisationNames();
  const nameOfProvider = useProviderNames();
  if (organisation !== null) return nameOfOrganisation(organisation);
  return provider === null ? t('admin.keys.of.none') : nameOfProvider(provider);
}

function Usage({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  return (
    <Loaded query={useUsage(guid)}>
      {({ total, by_day: days }) => (
        <>
          <p>{t('admin.keys.total', { count: total, requests: numberText(total), days: USAGE_DAYS })}</p>
          {days.length > 0 && (
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('admin.keys.day')}</th>
                  <th scope="col">{t('admin.keys.requests')}</th>
                </tr>
              </thead>
              <tbody>
                {days.map(({ day, requests }) => (
                  <tr key={day}>
                    <td>{day}</td>
                    <td>{numberText(requests)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </Loaded>
  );
}

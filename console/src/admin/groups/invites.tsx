// Invites to a group: those that may still be used, and a new one, whose link and picture are shown once.
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { momentText } from '../../i18n/format.ts';
import { CopyText } from '../../shared/copy.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { useAct } from '../use-act.ts';
import { useInvites } from './queries.ts';

const HOURS = ['24', '72', '168', '720'] as const;

export function Invites({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  const [hours, setHours] = useState<(typeof HOURS)[number]>('72');
  const [revoking, setRevoking] = useState<string>();
  const make = useAct(
    (wish: { group_guid: string; hours_valid: number }, key: string) =>
      read(
        identity.POST('/api/groups/admin/invite', {
          headers: { 'idempotency-key': key },
          body: { ...wish, with_link: true },
        }),
      ),
    { name: `invite-${guid}`, changes: ['group-invites', 'group', 'groups'] },
  );
  return (
    <section aria-labelledby="invites">
      <h2 id="invites">{t('admin.invites.title')}</h2>
      <p className="quiet">{t('admin.invites.lead')}</p>
      <div className="search-form">
        <NativeSelect
          label={t('admin.invites.valid')}
          value={hours}
          onChange={({ currentTarget }) => setHours(HOURS.find((each) => each === currentTarget.value) ?? '72')}
          data={HOURS.map((each) => ({ value: each, label: t(`admin.invites.hours.${each}`) }))}
        />
        <Button
          variant="default"
          loading={make.isPending}
          onClick={() => make.mutate({ group_guid: guid, hours_valid: Number(hours) })}
        >
          {t('admin.invites.make')}
        </Button>
      </div>
      {make.error !== null && <ProblemCard error={make.error} />}
      {make.data !== undefined && (
        <div className="note" role="status">
          <p>{t('admin.invites.once', { until: momentText(make.data.expires_at) })}</p>
          <CopyText text={make.data.link ?? ''} label={t('admin.invites.link')} />
          <img
            className="qr"
            alt={t('admin.invites.qr')}
            src={`data:image/svg+xml,${encodeURIComponent(make.data.qr_svg ?? '')}`}
          />
        </div>
      )}
      <Loaded query={useInvites(guid)}>
        {(invites) => (
          <ul className="cards">
            {invites.map((invite) => (
              <li key={invite.invite_guid} className="card row">
                <span>
                  {t('admin.invites.until', { until: momentText(invite.expires_at) })}
                  {invite.created_by !== null && <span className="quiet"> · {invite.created_by}</span>}
                </span>
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('admin.invites.revokeOf', { until: momentText(invite.expires_at) })}
                  onClick={() => setRevoking(invite.invite_guid)}
                >
                  {t('admin.invites.revoke')}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {revoking !== undefined && <RevokeDialog guid={guid} invite={revoking} onClose={() => setRevoking(undefined)} />}
    </section>
  );
}

interface RevokeDialogProps {
  readonly guid: string;
  readonly invite: string;
  readonly onClose: () => void;
}

function RevokeDialog({ guid, invite, onClose }: RevokeDialogProps) {
  const { t } = useTranslation();
  const params = { path: { group_guid: guid, invite_guid: invite } };
  const revoke = useAct<unknown>(
    () => read(identity.DELETE('/api/groups/admin/groups/{group_guid}/invites/{invite_guid}', { params })),
    { changes: ['group-invites', 'group', 'groups'], onDone: onClose },
  );
  return (
    <ActDialog title={t('admin.invites.sure')} confirm={t('admin.invites.now')} act={revoke} onClose={onClose}>
      <p>{t('admin.invites.effect')}</p>
    </ActDialog>
  );
}

// The members of a group, leaders first. Leaders remove members; administrators remove leaders, too, and appoint them.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { PagedCards } from '../../shared/paged-list.tsx';
import { pageIn, useAddress } from '../../shared/use-address.ts';
import { ActDialog } from '../act-dialog.tsx';
import { nameOf } from '../person.ts';
import { SearchField } from '../search-field.tsx';
import { useAct } from '../use-act.ts';
import { type Member, PER_PAGE, useMembers } from './queries.ts';

interface MembersProps {
  readonly guid: string;
  readonly isAdministrator: boolean;
}

interface Asking {
  readonly act: 'appoint' | 'remove';
  readonly member: Member;
}

export function Members({ guid, isAdministrator }: MembersProps) {
  const { t } = useTranslation();
  const [chosen] = useAddress();
  const [asking, setAsking] = useState<Asking>();
  const page = pageIn(chosen);
  const { q } = chosen;
  const found = useMembers(guid, { ...(q === undefined ? {} : { search: q.slice(0, 200) }), page });
  return (
    <section aria-labelledby="members">
      <h2 id="members">{t('admin.group.members')}</h2>
      <search>
        <SearchField label={t('admin.group.search')} />
      </search>
      <PagedCards query={found} perPage={PER_PAGE} none={t('admin.group.noMembers')}>
        {(member) => (
          <li key={member.membership_guid} className="card row">
            <span>
              <strong>{nameOf(member)}</strong> <span className="quiet">{member.email}</span>{' '}
              {member.is_admin && <span className="badge strong">{t('admin.membership.leader')}</span>}
            </span>
            <span>
              {isAdministrator && !member.is_admin && (
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('admin.group.appointOf', { name: nameOf(member) })}
                  onClick={() => setAsking({ act: 'appoint', member })}
                >
                  {t('admin.group.appoint')}
                </button>
              )}
              {(isAdministrator || !member.is_admin) && (
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('admin.group.removeOf', { name: nameOf(member) })}
                  onClick={() => setAsking({ act: 'remove', member })}
                >
                  {t('admin.remove')}
                </button>
              )}
            </span>
          </li>
        )}
      </PagedCards>
      {asking !== undefined && <MemberDialog {...asking} guid={guid} onClose={() => setAsking(undefined)} />}
    </section>
  );
}

interface MemberDialogProps extends Asking {
  readonly guid: string;
  readonly onClose: () => void;
}

function MemberDialog({ act, member, guid, onClose }: MemberDialogProps) {
  const { t } = useTranslation();
  const ids = { group_guid: guid, user_guid: member.user_guid };
  const run = useAct<unknown>(
    () =>
      act === 'appoint'
        ? read(identity.POST('/api/admin/assign-group-admin', { body: ids }))
        : read(identity.DELETE('/api/groups/admin/groups/{group_guid}/members/{user_guid}', { params: { path: ids } })),
    { changes: ['group', 'group-members', 'groups'], onDone: onClose },
  );
  const name = nameOf(member);
  return (
    <ActDialog
      title={t(`admin.group.sure.${act}`, { name })}
      confirm={t(`admin.group.now.${act}`)}
      act={run}
      onClose={onClose}
    >
      <p>{t(`admin.group.effect.${act}`)}</p>
    </ActDialog>
  );
}

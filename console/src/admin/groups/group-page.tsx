// One group: its members and leaders, the invites to it, and for administrators its end.
import { Button } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { useMe } from '../../shell/me.ts';
import { Page } from '../../shell/page.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { useAct } from '../use-act.ts';
import { useWords } from '../words.ts';
import { Invites } from './invites.tsx';
import { Members } from './members.tsx';
import { type Group, ofGroup, useGroup } from './queries.ts';

export function GroupPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false });
  const { groupName } = useWords();
  const { data: me } = useMe();
  const isAdministrator = me?.is_su_admin === true;
  return (
    <LoadedScreen query={useGroup(guid)}>
      {(group) => (
        <Page title={groupName(group.name, group.group_type)}>
          {group.description !== null && <p>{group.description}</p>}
          {group.pending > 0 && (
            <p>
              <Link to="/admin" search={{ kind: 'membership', q: group.name }}>
                {t('admin.groups.pending', { count: group.pending })}
              </Link>
            </p>
          )}
          <Members guid={guid} isAdministrator={isAdministrator} />
          <Invites guid={guid} />
          {isAdministrator && group.group_type !== 'phase' && <Removal group={group} />}
        </Page>
      )}
    </LoadedScreen>
  );
}

function Removal({ group }: { readonly group: Group }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useAct<unknown>(
    () => read(identity.DELETE('/api/admin/groups/{group_guid}', ofGroup(group.group_guid))),
    { changes: ['groups'], onDone: () => void navigate({ to: '/admin/groups' }) },
  );
  return (
    <section aria-labelledby="removal">
      <h2 id="removal">{t('admin.group.end')}</h2>
      <p className="actions">
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('admin.group.remove')}
        </Button>
      </p>
      {isAsking && (
        <ActDialog
          title={t('admin.group.removeTitle', { name: group.name })}
          confirm={t('admin.group.removeNow')}
          act={remove}
          onClose={() => setAsking(false)}
          word={{ text: group.name, label: t('admin.group.type', { name: group.name }) }}
        >
          <p>{t('admin.group.removeEffect', { count: group.members })}</p>
        </ActDialog>
      )}
    </section>
  );
}

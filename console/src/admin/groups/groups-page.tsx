// The groups that one leads; for administrators all of them.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { PagedCards } from '../../shared/paged-list.tsx';
import { oneOf, pageIn, useAddress } from '../../shared/use-address.ts';
import { Page } from '../../shell/page.tsx';
import { SearchField } from '../search-field.tsx';
import { useWords } from '../words.ts';
import { GROUP_TYPES, PER_PAGE, useGroups } from './queries.ts';

export function GroupsPage() {
  const { t } = useTranslation();
  const { groupName } = useWords();
  const [chosen, change] = useAddress();
  const type = oneOf(GROUP_TYPES, chosen['type']);
  const page = pageIn(chosen);
  const { q } = chosen;
  const found = useGroups({
    ...(q === undefined ? {} : { search: q.slice(0, 200) }),
    ...(type === undefined ? {} : { group_type: type }),
    page,
  });
  return (
    <Page title={t('admin.groups.title')}>
      <search className="filters">
        <SearchField label={t('admin.groups.search')} />
        <FilterSelect
          label={t('admin.groups.type')}
          values={GROUP_TYPES}
          all={t('admin.groups.allTypes')}
          textOf={(each) => t(`admin.groupType.${each}`)}
          chosen={type}
          onChoose={(type) => change({ type })}
        />
      </search>
      <PagedCards query={found} perPage={PER_PAGE} none={t('admin.groups.none')}>
        {(group) => (
          <li key={group.group_guid} className="card">
            <div className="row">
              <Link to="/admin/groups/$guid" params={{ guid: group.group_guid }}>
                {groupName(group.name, group.group_type)}
              </Link>
              <span className="badge">{t(`admin.groupType.${oneOf(GROUP_TYPES, group.group_type) ?? 'team'}`)}</span>
            </div>
            <p className="quiet">
              {t('admin.groups.members', { count: group.members })}
              {group.pending > 0 && ` · ${t('admin.groups.pending', { count: group.pending })}`}
              {group.invites > 0 && ` · ${t('admin.groups.openInvites', { count: group.invites })}`}
            </p>
            {group.admins === 0 && <p className="quiet">{t('admin.groups.noLeader')}</p>}
          </li>
        )}
      </PagedCards>
    </Page>
  );
}

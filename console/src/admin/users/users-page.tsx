// Users, found by name, address, kind and state; everything about one of them at the side. What is chosen is in the
// address.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { dayText } from '../../i18n/format.ts';
import { Cards } from '../../shared/cards.tsx';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { ListPager } from '../../shared/paged-list.tsx';
import { type Chosen, oneOf, pageIn, useAddress } from '../../shared/use-address.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { nameOf } from '../person.ts';
import { SearchForm } from '../search-form.tsx';
import { type ListedUser, PER_PAGE, STATES, TYPES, type UserFilter, useUsers } from './queries.ts';
import { UserPanel } from './user-panel.tsx';

export function UsersPage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const filter = filterOf(chosen);
  const found = useUsers(filter);
  const { user } = chosen;
  return (
    <Page title={t('admin.users.title')}>
      <div className={user === undefined ? undefined : 'with-panel'}>
        <div>
          <search className="filters">
            <SearchForm
              label={t('admin.users.search')}
              button={t('admin.search')}
              value={filter.search ?? ''}
              onSearch={(q) => change({ q })}
            />
            <FilterSelect
              label={t('admin.users.type')}
              values={TYPES}
              all={t('admin.users.allTypes')}
              textOf={(type) => t(`admin.userType.${type}`)}
              chosen={filter.user_type}
              onChoose={(type) => change({ type })}
            />
            <FilterSelect
              label={t('admin.users.state')}
              values={STATES}
              all={t('admin.users.allStates')}
              textOf={(state) => t(`admin.userState.${state}`)}
              chosen={filter.state}
              onChoose={(state) => change({ state })}
            />
          </search>
          <Loaded query={found}>
            {({ data, total }) => (
              <>
                <p className="quiet" role="status">
                  {t('admin.users.count', { count: total })}
                </p>
                <Cards items={data} none={t('admin.users.none')}>
                  {(each) => <UserCard key={each.user_guid} user={each} chosen={chosen} />}
                </Cards>
                <ListPager perPage={PER_PAGE} total={total} />
              </>
            )}
          </Loaded>
        </div>
        {user !== undefined && (
          <UserPanel
            key={user}
            guid={user}
            onClose={() => change({ user: undefined, page: chosen['page'] })}
            onOther={(guid) => change({ user: guid, page: chosen['page'] })}
          />
        )}
      </div>
    </Page>
  );
}

function UserCard({ user, chosen }: { readonly user: ListedUser; readonly chosen: Chosen }) {
  const { t } = useTranslation();
  const isShown = chosen['user'] === user.user_guid;
  const organisations = user.organisations.map(({ name }) => name).join(', ');
  const name = nameOf(user);
  // The address of who has no name is the heading.
  const address = user.email ?? t('admin.user.noAccount');
  const facts = [name === user.email ? '' : address, organisations].filter((fact) => fact !== '');
  return (
    <li className="card" data-chosen={isShown ? '' : undefined}>
      <div className="row">
        <Link
          to="/admin/users"
          search={(before: object) => ({ ...before, user: user.user_guid })}
          aria-current={isShown ? 'true' : undefined}
        >
          {name}
        </Link>
        <UserBadges user={user} />
      </div>
      {facts.length > 0 && <p className="quiet">{facts.join(' · ')}</p>}
      <p className="quiet">
        {user.last_login_at === null
          ? t('admin.users.neverSignedIn')
          : t('admin.users.lastSignIn', { day: dayText(user.last_login_at) })}
      </p>
    </li>
  );
}

type Marked = Pick<ListedUser, 'user_type' | 'is_su_admin' | 'blocked_at' | 'merged_into' | 'professional'>;

/** What somebody is, and whether the account is open. */
export function UserBadges({ user }: { readonly user: Marked }) {
  const { t } = useTranslation();
  const marks = [
    user.merged_into === undefined ? undefined : ('merged' as const),
    user.merged_into === undefined && user.blocked_at !== undefined ? ('blocked' as const) : undefined,
    user.is_su_admin ? ('su_admin' as const) : undefined,
    user.professional?.is_privacy_officer === true ? ('officer' as const) : undefined,
  ].filter((mark) => mark !== undefined);
  return (
    <span>
      {marks.map((mark) => (
        <span key={mark} className="badge strong">
          {t(`admin.mark.${mark}`)}
        </span>
      ))}{' '}
      <span className="badge">{t(`admin.userType.${user.user_type}`)}</span>
    </span>
  );
}

function filterOf(chosen: Chosen): UserFilter {
  const { q, type, state } = chosen;
  const [knownType, knownState, page] = [oneOf(TYPES, type), oneOf(STATES, state), pageIn(chosen)];
  return {
    ...(q === undefined ? {} : { search: q.slice(0, 200) }),
    ...(knownType === undefined ? {} : { user_type: knownType }),
    ...(knownState === undefined ? {} : { state: knownState }),
    ...(page > 1 ? { page } : {}),
  };
}

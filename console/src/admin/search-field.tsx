// The field of a list that is searched by a text, which is in the address.
import { useTranslation } from 'react-i18next';
import { useAddress } from '../shared/use-address.ts';
import { SearchForm } from './search-form.tsx';

/** The field for `q` of the address. */
export function SearchField({ label }: { readonly label: string }) {
  const { t } = useTranslation();
  const [{ q = '' }, change] = useAddress();
  return <SearchForm label={label} button={t('admin.search')} value={q} onSearch={(text) => change({ q: text })} />;
}

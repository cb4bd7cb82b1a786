// Chooses a code list of the library, and shows some of its codes.
import { useQuery } from '@tanstack/react-query';
import type { ValueSet } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { searchFhir } from '../../../api/fhir.ts';
import { searchValue } from '../../../api/search-value.ts';
import { codesOf } from '../../../forms/value-set-codes.ts';
import { type Choice, TypeAhead } from '../../../shared/type-ahead.tsx';
import { useBuilder, useIssue } from '../builder-context.ts';
import type { Item } from '../model/tree.ts';

const MOST_LISTS = '20';
const SOME_CODES = 6;

export function CodeListField({ item }: { readonly item: Item }) {
  const { t } = useTranslation();
  const { draft } = useBuilder();
  const { answerValueSet: address = '' } = item;
  const { data: name } = useQuery({
    queryKey: ['code-list-name', address],
    queryFn: async () => (await listsBy({ url: address.split('|')[0] ?? '' }))[0]?.label ?? address,
    enabled: address !== '' && !address.startsWith('#'),
  });
  const { data: codes } = useQuery({
    queryKey: ['code-list-codes', address],
    queryFn: ({ signal }) => codesOf(address, '', { signal, most: SOME_CODES }),
    enabled: address !== '' && !address.startsWith('#'),
  });
  return (
    <>
      <TypeAhead
        label={t('formBuilder.field.findList')}
        description={t('formBuilder.field.findListHint')}
        error={useIssue(item.linkId, 'options')}
        chosen={address === '' ? '' : (name ?? address)}
        none={t('formBuilder.field.noList')}
        queryKey={['code-lists']}
        find={(text) => listsBy(text === '' ? {} : { 'title:contains': searchValue(text) })}
        onChoose={(url) => draft.changeItem(item.linkId, (each) => ({ ...each, answerValueSet: url ?? '' }))}
      />
      {codes !== undefined && codes.length > 0 && (
        <p className="quiet">
          {t('formBuilder.field.listPreview', { codes: codes.map(({ display, code }) => display ?? code).join(', ') })}
        </p>
      )}
    </>
  );
}

async function listsBy(parameters: Readonly<Record<string, string>>): Promise<Choice<string>[]> {
  const query = { status: 'active', _count: MOST_LISTS, _sort: 'title', _elements: 'url,title,name', ...parameters };
  const found = await searchFhir<ValueSet>('engine', 'ValueSet', query);
  return found.flatMap(({ id, url, title, name }) =>
    url === undefined ? [] : [{ key: id ?? url, label: title ?? name ?? url, detail: url, value: url }],
  );
}

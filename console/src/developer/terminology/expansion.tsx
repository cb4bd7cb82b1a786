// What a value set holds: as a tree, or a page of what is sought in it.
import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ValueSet, ValueSetExpansionContains } from 'fhir/r5';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getJson } from '../../api/fhir.ts';
import { Pager } from '../../app/pager.tsx';
import { numberText } from '../../i18n/format.ts';
import { CopyButton } from '../../shared/copy.tsx';
import { Refusal } from '../../shared/refusal.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Empty } from '../../shell/page.tsx';
import { baseOf } from '../fhir/services.ts';
import { useAsked } from './asked.ts';
import { Known } from './known.tsx';

const PER_PAGE = 50;
/** Of a tree the branches are opened one by one; a larger value set is read in pages, which have no branches. */
const MOST_OF_TREE = 1000;

export function Expansion() {
  const { t } = useTranslation();
  const [asked, ask] = useAsked(['url', 'filter', 'page', 'flat']);
  const [url, setUrl] = useState(asked['url'] ?? '');
  const [filter, setFilter] = useState(asked['filter'] ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask({ url, filter });
  };
  return (
    <>
      <form onSubmit={submit}>
        <div className="fields">
          <Known type="ValueSet" label={t('developer.terms.valueSet')} value={url} onChange={setUrl} />
          <TextInput
            label={t('form.optional', { label: t('developer.terms.filter') })}
            value={filter}
            autoComplete="off"
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </div>
        <p className="actions">
          <Button type="submit" disabled={url.trim() === ''}>
            {t('developer.terms.ask.expand')}
          </Button>
        </p>
      </form>
      {asked['url'] !== undefined && (
        <Expanded key={`${asked['url']} ${asked['filter']}`} asked={{ url: asked['url'], ...asked }} onAsk={ask} />
      )}
    </>
  );
}

interface ExpandedProps {
  readonly asked: { readonly url: string; readonly filter?: string; readonly page?: string };
  readonly onAsk: (asked: Readonly<Record<string, string>>) => void;
}

function Expanded({ asked, onAsk }: ExpandedProps) {
  const { t } = useTranslation();
  const { url, filter } = asked;
  const page = Math.max(1, Number(asked.page) || 1);
  const expand = (more: Readonly<Record<string, string>>) =>
    `${baseOf('engine')}/ValueSet/$expand?${new URLSearchParams({ url, ...(filter === undefined ? {} : { filter }), ...more })}`;
  // How many there are decides whether the tree is read as a whole.
  const paged = expand({ count: String(PER_PAGE), offset: String((page - 1) * PER_PAGE) });
  const first = useExpansion(paged);
  const total = first.data?.expansion?.total ?? 0;
  const isTree = filter === undefined && total <= MOST_OF_TREE;
  const whole = useExpansion(expand({}), first.data !== undefined && isTree);
  const shown = isTree ? whole : first;
  const error = first.error ?? whole.error;
  if (error !== null) return <Refusal error={error} />;
  if (shown.data === undefined) return <Loading />;
  const { name, title, version, expansion } = shown.data;
  const contains = expansion?.contains ?? [];
  return (
    <section aria-labelledby="expansion">
      <h2 id="expansion">{title ?? name ?? url}</h2>
      <p className="row">
        <span className="quiet" role="status">
          {t('developer.terms.codes', { count: total, number: numberText(total) })}
          {version !== undefined && ` · ${t('developer.terms.version', { version })}`}
        </span>
        <CopyButton
          text={`${window.location.origin}${isTree ? expand({}) : paged}`}
          label={t('developer.search.url')}
          isNamed
        />
      </p>
      {contains.length === 0 ? <Empty>{t('developer.terms.noCodes')}</Empty> : <Codes codes={contains} />}
      {!isTree && (
        <Pager
          page={page}
          perPage={PER_PAGE}
          total={total}
          onPage={(next) =>
            onAsk({
              url,
              ...(filter === undefined ? {} : { filter }),
              ...(next === undefined ? {} : { page: String(next) }),
            })
          }
        />
      )}
    </section>
  );
}

function useExpansion(address: string, isWanted = true) {
  return useQuery({
    queryKey: ['terminology', address],
    queryFn: async () => (await getJson(address)) as ValueSet,
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

function Codes({ codes }: { readonly codes: readonly ValueSetExpansionContains[] }) {
  return (
    <ul className="codes">
      {codes.map((code) => (
        <li key={`${code.system}|${code.code}|${code.display}`}>
          <CodeItem code={code} />
        </li>
      ))}
    </ul>
  );
}

function CodeItem({ code }: { readonly code: ValueSetExpansionContains }) {
  const { contains = [] } = code;
  const [isOpen, setOpen] = useState(false);
  if (contains.length === 0) return <CodeText code={code} />;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <CodeName code={code} /> <span className="quiet">({numberText(contains.length)})</span>
      </summary>
      {isOpen && (
        <>
          <CodeText code={code} />
          <Codes codes={contains} />
        </>
      )}
    </details>
  );
}

function CodeName({ code: { display, code } }: { readonly code: ValueSetExpansionContains }) {
  return <span lang="en">{display ?? code}</span>;
}

function CodeText({ code: item }: { readonly code: ValueSetExpansionContains }) {
  const { t } = useTranslation();
  const { system, code, inactive, abstract } = item;
  return (
    <>
      <CodeName code={item} />{' '}
      {code !== undefined && system !== undefined && (
        <Link to="/developer/terminology" search={{ system, code }}>
          {code}
        </Link>
      )}
      {inactive === true && <span className="badge">{t('developer.terms.inactive')}</span>}
      {abstract === true && <span className="badge">{t('developer.terms.abstract')}</span>}
    </>
  );
}

// Leads to the page before and the page after, and says which one it is.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { numberText } from '../i18n/format.ts';

interface PagerProps {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  /** Undefined for the first page, which an address need not name. */
  readonly onPage: (page: number | undefined) => void;
}

export function Pager({ page, perPage, total, onPage }: PagerProps) {
  const { t } = useTranslation();
  return (
    <p className="actions">
      {page > 1 && (
        <Button variant="default" onClick={() => onPage(page === 2 ? undefined : page - 1)}>
          {t('pager.previous')}
        </Button>
      )}
      {page * perPage < total && (
        <Button variant="default" onClick={() => onPage(page + 1)}>
          {t('pager.next')}
        </Button>
      )}
      {total > perPage && (
        <span className="quiet">
          {t('pager.place', { page: numberText(page), pages: numberText(Math.ceil(total / perPage)) })}
        </span>
      )}
    </p>
  );
}

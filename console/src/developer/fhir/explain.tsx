// How the database carries a search out, for administrators: its statements, and what each step found and took.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getJson } from '../../api/fhir.ts';
import { numberText } from '../../i18n/format.ts';
import { CopyButton } from '../../shared/copy.tsx';
import { Refusal } from '../../shared/refusal.tsx';
import { ScrollTable } from '../../shared/scroll-table.tsx';
import { ScrollText } from '../../shared/scroll-text.tsx';
import { type ExplainedStatement, readExplained } from './plan-tree.ts';
import { baseOf } from './services.ts';

export function Explain({ type, query }: { readonly type: string; readonly query: string }) {
  const { t } = useTranslation();
  const explain = useMutation({
    mutationFn: async () => {
      const found = await getJson(`${baseOf('engine')}/${type}?${query}${query === '' ? '' : '&'}_explain=true`);
      return readExplained(found as Parameters<typeof readExplained>[0]);
    },
  });
  return (
    <section aria-labelledby="explain">
      <h2 id="explain">{t('developer.explain.title')}</h2>
      <p className="quiet">{t('developer.explain.lead')}</p>
      <p className="actions">
        <Button variant="default" loading={explain.isPending} onClick={() => explain.mutate()}>
          {t('developer.explain.run')}
        </Button>
      </p>
      {explain.error !== null && <Refusal error={explain.error} />}
      {explain.data?.map((statement, at) => (
        <Statement key={statement.sql} statement={statement} number={at + 1} />
      ))}
    </section>
  );
}

function Statement({ statement, number }: { readonly statement: ExplainedStatement; readonly number: number }) {
  const { t } = useTranslation();
  const { sql, values, ms, lines } = statement;
  const label = t('developer.explain.statement', { number, ms: numberText(rounded(ms)) });
  return (
    <div className="card">
      <h3>{label}</h3>
      <ScrollTable
        label={label}
        head={[t('developer.explain.step'), t('developer.explain.rows'), t('developer.explain.ms')]}
      >
        {lines.map(({ depth, what, rows, runs, ms: took }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a plan stay as they are
          <tr key={at}>
            <td>
              {'\u2003'.repeat(depth)}
              {what}
            </td>
            <td>{runs > 1 ? `${numberText(rows)} × ${numberText(runs)}` : numberText(rows)}</td>
            <td>{numberText(rounded(took))}</td>
          </tr>
        ))}
      </ScrollTable>
      <details>
        <summary>{t('developer.explain.sql')}</summary>
        <CopyButton text={sql} label={t('developer.explain.sql')} />
        <ScrollText text={`${sql}\n\n${values}`} />
      </details>
    </div>
  );
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

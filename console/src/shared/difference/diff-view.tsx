// A difference between two texts: what was removed and what was added, by sign and colour.
import { useTranslation } from 'react-i18next';
import './difference.css';
import { type DiffLine, differenceOf, type Gap, shortened } from './difference.ts';

const CONTEXT = 3;

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

export function DiffView({ before, after, label }: DiffViewProps) {
  const { t } = useTranslation();
  if (before === after) return <p className="quiet">{t('difference.none')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="diff code-text" tabIndex={0} aria-label={label}>
      {shortened(differenceOf(before, after), CONTEXT).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a difference stays as it is
        <DiffRow key={at} line={line} />
      ))}
    </section>
  );
}

function DiffRow({ line }: { readonly line: DiffLine | Gap }) {
  const { t } = useTranslation();
  switch (line.kind) {
    case 'gap':
      return <span className="gap">{t('difference.gap', { count: line.count })}</span>;
    case 'added':
      return <ins>{`+ ${line.text}`}</ins>;
    case 'removed':
      return <del>{`− ${line.text}`}</del>;
    case 'same':
      return <span>{`  ${line.text}`}</span>;
    default:
      return line satisfies never;
  }
}

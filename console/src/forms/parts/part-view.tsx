// One part of a form at a time: pages with a way on and back, or tabs (w3.org/WAI/ARIA/apg/patterns/tabs). All parts
// stay on the page, so that nothing typed is lost, and everything is printed. A link to a question opens its part.
import { Button } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fullLabel } from '../question.tsx';
import { issuesWithin, type Part } from './parts.ts';

interface PartsProps {
  readonly parts: readonly Part[];
  readonly path: string;
  readonly issues: ReadonlyMap<string, unknown>;
  readonly children: (part: Part) => ReactNode;
}

export function Pages({ parts, path, issues, children }: PartsProps) {
  const { t } = useTranslation();
  const own = useId();
  const heading = useRef<HTMLParagraphElement>(null);
  const [index, open] = usePart(parts, own);
  const go = (to: number) => {
    open(parts[to]);
    requestAnimationFrame(() => heading.current?.focus());
  };
  const wrong = parts.map((part) => issuesWithin(part, path, issues));
  return (
    <>
      <p ref={heading} tabIndex={-1} className="page-of">
        {t('form.page', { number: index + 1, count: parts.length })}
      </p>
      <progress value={index + 1} max={parts.length} aria-hidden="true" />
      {parts.map((part, at) => (
        <div key={part.id} id={panelId(own, part)} className="form-part" hidden={at !== index}>
          {children(part)}
        </div>
      ))}
      <p className="actions screen-only">
        <Button variant="default" disabled={index === 0} onClick={() => go(index - 1)}>
          {t('form.previous')}
        </Button>
        <Button
          variant={index === parts.length - 1 ? 'default' : 'filled'}
          disabled={index === parts.length - 1}
          onClick={() => go(index + 1)}
        >
          {t('form.next')}
        </Button>
      </p>
      {wrong.some((count, at) => count > 0 && at !== index) && (
        <p className="bad">
          {t('form.wrongOn', { pages: wrong.flatMap((count, at) => (count > 0 ? [at + 1] : [])).join(', ') })}
        </p>
      )}
    </>
  );
}

export function Tabs({ parts, path, issues, children }: PartsProps) {
  const { t } = useTranslation();
  const own = useId();
  const list = useRef<HTMLDivElement>(null);
  const [index, open] = usePart(parts, own);
  const press = (event: KeyboardEvent) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: parts.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + parts.length) % parts.length;
    open(parts[next]);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <>
      <div className="form-tabs screen-only" role="tablist" ref={list} onKeyDown={press}>
        {parts.map((part, at) => {
          const count = issuesWithin(part, path, issues);
          return (
            <button
              key={part.id}
              type="button"
              role="tab"
              id={`${panelId(own, part)}-tab`}
              aria-selected={at === index}
              aria-controls={panelId(own, part)}
              tabIndex={at === index ? 0 : -1}
              onClick={() => open(part)}
            >
              {fullLabel(part.title)}
              {count > 0 && <span className="bad"> {t('form.wrong', { count })}</span>}
            </button>
          );
        })}
      </div>
      {parts.map((part, at) => (
        <div
          key={part.id}
          id={panelId(own, part)}
          className="form-part"
          role="tabpanel"
          aria-labelledby={`${panelId(own, part)}-tab`}
          hidden={at !== index}
        >
          {children(part)}
        </div>
      ))}
    </>
  );
}

function panelId(own: string, { id }: Part): string {
  return `part-${own}-${id}`;
}

/**
 * The place of the open part, and how another one is opened. A link to a question opens its part before the browser
 * goes there.
 */
function usePart(parts: readonly Part[], own: string): [index: number, open: (part: Part | undefined) => void] {
  const [chosen, setChosen] = useState(parts[0]?.id);
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
      const target = link && document.getElementById(decodeURIComponent(link.getAttribute('href')?.slice(1) ?? ''));
      const part = parts.find((each) => document.getElementById(panelId(own, each))?.contains(target ?? null) === true);
      if (target === null || target === undefined || part === undefined) return;
      setChosen(part.id);
      requestAnimationFrame(() => {
        target.scrollIntoView({ block: 'center' });
        target.focus();
      });
    };
    document.addEventListener('click', follow);
    return () => document.removeEventListener('click', follow);
  }, [parts, own]);
  const index = parts.findIndex(({ id }) => id === chosen);
  return [Math.max(index, 0), (part) => setChosen(part?.id)];
}

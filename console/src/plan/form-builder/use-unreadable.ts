// Which expressions of a form cannot be read: asked of the FHIRPath of the renderer, apart from the page.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Questionnaire } from 'fhir/r5';
import { unreadableAt } from '../../forms/expressions/solver.ts';
import { expressionsIn, sharedExpressionsIn } from './model/expressions.ts';
import type { BuilderIssue } from './model/issues.ts';
import { everyItem } from './model/tree.ts';

/** Those that are not known yet are none. */
export function useUnreadable({ item: items = [], extension = [] }: Questionnaire): BuilderIssue[] {
  const all: { linkId: string | undefined; field: string; expression: string }[] = [
    ...sharedExpressionsIn({ extension }).map((each) => ({ linkId: undefined, ...each })),
    ...everyItem(items).flatMap((item) => expressionsIn(item).map((each) => ({ linkId: item.linkId, ...each }))),
  ];
  const texts = [...new Set(all.map(({ expression }) => expression))].filter((text) => text.trim() !== '');
  const { data } = useQuery({
    queryKey: ['unreadable-expressions', ...texts],
    queryFn: async ({ signal }) => {
      const places = new Map<string, number>();
      for (const text of texts) {
        const at = await unreadableAt(text, signal);
        if (at !== undefined) places.set(text, at);
      }
      return places;
    },
    enabled: texts.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return all.flatMap(({ linkId, field, expression }) => {
    const at = data?.get(expression);
    return at === undefined ? [] : [{ linkId, field, code: 'unreadable' as const, at }];
  });
}
